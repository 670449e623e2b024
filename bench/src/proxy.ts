// A call through the service against the same call made directly, to a target on the same machine.
import { startBareProgram } from './bare-program.ts'
import { medianOf, requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const body = JSON.stringify({ verb: 'GET', requestUrl: '' })

export async function benchProxy(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using target = await startBareProgram('./bare-fastify.ts')
  await using service = await startBenchService(dataDir.path, { PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8' })
  const headers = { ...service.keys, 'Content-Type': 'application/json' }
  await registerTarget(service, headers, target.url)
  const through = { url: `${service.baseUrl}/api/ApiSend/HTTP`, method: 'POST', headers, body, seconds: 3 } as const
  const direct = { url: target.url, seconds: 3 }
  await requestsPerSecond({ ...through, connections: 16 })

  const addedMs = (await p50(through)) - (await p50(direct))
  const ratios: number[] = []
  for (let round = 0; round < 3; round++) {
    const ours = await requestsPerSecond({ ...through, connections: 16 })
    const bare = await requestsPerSecond({ ...direct, connections: 16 })
    ratios.push(ours.perSecond / bare.perSecond)
  }
  const ratio = medianOf(ratios)
  return [
    {
      what: 'ApiSend adds to a direct call at low load, p50',
      measured: `${addedMs.toFixed(2)} ms`,
      wanted: 'at most 1 ms',
      isMet: addedMs <= 1,
    },
    {
      what: 'ApiSend against the direct call at full load',
      measured: ratio.toFixed(2),
      wanted: 'at least 0.4',
      isMet: ratio >= 0.4,
    },
  ]
}

/** One call after the other, timed here: the load generator counts whole milliseconds. */
async function p50(load: {
  url: string
  method?: 'POST'
  headers?: Record<string, string>
  body?: string
}): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < 400; call++) {
    const startedAt = performance.now()
    const answer = await fetch(load.url, {
      method: load.method ?? 'GET',
      ...(load.headers ? { headers: load.headers } : {}),
      ...(load.body ? { body: load.body } : {}),
    })
    await answer.text()
    times.push(performance.now() - startedAt)
  }
  return medianOf(times.slice(100))
}

async function registerTarget(service: BenchService, headers: Record<string, string>, url: string): Promise<void> {
  const list = (await (await fetch(`${service.baseUrl}/api/Applications`, { headers })).json()) as {
    id: string
    shortName: string
  }[]
  const applicationId = list.find(({ shortName }) => shortName === 'HTTP')?.id
  const credentialsJson = JSON.stringify({ baseUrl: url, authType: 'none' })
  const answer = await fetch(`${service.baseUrl}/api/RegApplication`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ applicationId, tagText: 'target', credentialsJson }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}
