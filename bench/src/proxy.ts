// A call through the service against the same call made directly, to a target on the same machine.
import { readFileSync } from 'node:fs'
import { startBareProgram } from './bare-program.ts'
import { type Load, medianOf, requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const body = JSON.stringify({ verb: 'GET', requestUrl: '' })

export async function benchProxy(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using target = await startBareProgram(new URL('./bare-fastify.ts', import.meta.url))
  await using bare = await startBareProgram(new URL('./bare-proxy.ts', import.meta.url), [target.url])
  await using service = await startBenchService(dataDir.path, { PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8' })
  const headers = { ...service.keys, 'Content-Type': 'application/json' }
  await registerTarget(service, headers, target.url)
  const through = { url: `${service.baseUrl}/api/ApiSend/HTTP`, method: 'POST', headers, body, seconds: 3 } as const
  const direct = { url: target.url, seconds: 3 }
  const passed = {
    url: bare.url,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    seconds: 3,
  } as const
  await requestsPerSecond({ ...through, connections: 16 })
  await requestsPerSecond({ ...passed, connections: 16 })

  const directMs = await p50(direct)
  const addedMs = (await p50(through)) - directMs
  const bareAddedMs = (await p50(passed)) - directMs
  const rounds: { ours: number; bare: number; direct: number; cpuUs: number; bareCpuUs: number }[] = []
  for (let round = 0; round < 5; round++) {
    const ours = await loaded(through, service.pid)
    const plain = await loaded(passed, bare.pid)
    const { perSecond } = await requestsPerSecond({ ...direct, connections: 16 })
    rounds.push({
      ours: ours.perSecond,
      bare: plain.perSecond,
      direct: perSecond,
      cpuUs: ours.cpuUs,
      bareCpuUs: plain.cpuUs,
    })
  }
  const median = (pick: (round: (typeof rounds)[number]) => number) => medianOf(rounds.map(pick))
  const ratio = median((round) => round.ours / round.direct)
  const bareRatio = median((round) => round.bare / round.direct)
  return [
    {
      what: 'ApiSend adds to a direct call at low load, p50',
      measured: `${addedMs.toFixed(2)} ms (bare proxy ${bareAddedMs.toFixed(2)} ms)`,
      wanted: 'at most 1 ms',
      isMet: addedMs <= 1,
    },
    {
      what: 'ApiSend against the direct call at full load',
      measured: ratio.toFixed(2),
      wanted: 'at least 0.4',
      isMet: ratio >= 0.4,
    },
    {
      what: 'a bare proxy against the direct call at full load',
      measured: bareRatio.toFixed(2),
      wanted: 'what the framework and the HTTP client leave possible',
      isMet: undefined,
    },
    {
      what: 'ApiSend against the bare proxy at full load',
      measured: median((round) => round.ours / round.bare).toFixed(2),
      wanted: 'keys, limits, guard and credentials on top',
      isMet: undefined,
    },
    {
      what: 'CPU of a call, ApiSend : bare proxy',
      measured: `${median((round) => round.cpuUs).toFixed(0)} : ${median((round) => round.bareCpuUs).toFixed(0)} µs`,
      wanted: 'in the process that passes the call on',
      isMet: undefined,
    },
  ]
}

async function loaded(load: Load, pid: number): Promise<{ perSecond: number; cpuUs: number }> {
  const before = cpuMs(pid)
  const { perSecond } = await requestsPerSecond({ ...load, connections: 16 })
  return { perSecond, cpuUs: ((cpuMs(pid) - before) * 1000) / (perSecond * (load.seconds ?? 5)) }
}

/** Time that a process has worked so far; the kernel counts it in hundredths of a second. */
function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[A-Z] )/)
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
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
