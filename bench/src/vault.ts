// Vault values against the bare statement on the same database: behind the same HTTP server, which is the figure, and behind the framework
// alone, which tells what keys, limits and encryption cost together.
import { startBareProgram } from './bare-program.ts'
import { medianOf, requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const body = JSON.stringify({ jsonData: { cursor: 42, token: 'x'.repeat(100) } })
const roundsMeasured = 4

type Rates = { get: number[]; set: number[] }

export async function benchVault(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  await using behindServer = await startBareProgram(new URL('./bare-behind-server.ts', import.meta.url), [dataDir.path])
  await using behindFastify = await startBareProgram(new URL('./bare-database.ts', import.meta.url), [dataDir.path])
  const headers = { ...service.keys, 'Content-Type': 'application/json' }
  const who = await fetch(`${service.baseUrl}/api/Authenticate`, { headers }).then(
    (answer) => answer.json() as Promise<{ myAccount: { id: string } }>,
  )
  const place = who.myAccount.id
  const load = { connections: 16, seconds: 2 }
  const measured = new Map<string, Rates>()
  // The first round warms up caches, prepared statements and the compiler.
  for (let round = 0; round <= roundsMeasured; round++) {
    for (const url of [behindServer.url, service.baseUrl, behindFastify.url]) {
      const set = { ...load, method: 'POST', headers, body, url: `${url}/api/MyVaultSetGlobal/${place}/k` } as const
      const get = { ...load, headers: service.keys, url: `${url}/api/MyVaultGetGlobal/${place}/k` }
      const perSecond = {
        set: (await requestsPerSecond(set)).perSecond,
        get: (await requestsPerSecond(get)).perSecond,
      }
      const rates = measured.get(url) ?? { get: [], set: [] }
      measured.set(url, rates)
      if (round === 0) continue
      rates.get.push(perSecond.get)
      rates.set.push(perSecond.set)
    }
  }
  const ratesOf = (url: string) => measured.get(url) as Rates
  const ours = ratesOf(service.baseUrl)
  return (['get', 'set'] as const).flatMap((verb) => [
    compare(`vault ${verb} against the bare statement`, ours[verb], ratesOf(behindServer.url)[verb], 0.6),
    compare(`vault ${verb} against the framework without keys`, ours[verb], ratesOf(behindFastify.url)[verb]),
  ])
}

function compare(what: string, ours: number[], bare: number[], wanted?: number): Row {
  const ratio = medianOf(ours) / medianOf(bare)
  return {
    what,
    measured: `${medianOf(ours).toFixed(0)}/s : ${medianOf(bare).toFixed(0)}/s = ${ratio.toFixed(2)}`,
    wanted: wanted === undefined ? 'for comparison' : `at least ${wanted}`,
    isMet: wanted === undefined ? undefined : ratio >= wanted,
  }
}
