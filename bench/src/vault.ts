// Vault values against the bare statement behind the same framework and the same database.
import { join } from 'node:path'
import { startBareProgram } from './bare-program.ts'
import { medianOf, requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const body = JSON.stringify({ jsonData: { cursor: 42, token: 'x'.repeat(100) } })

export async function benchVault(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  await using bare = await startBareProgram('./bare-database.ts', [join(dataDir.path, 'run')])
  const headers = { ...service.keys, 'Content-Type': 'application/json' }
  const who = await fetch(`${service.baseUrl}/api/Authenticate`, { headers }).then(
    (answer) => answer.json() as Promise<{ myAccount: { id: string } }>,
  )
  const place = who.myAccount.id
  const set = { method: 'POST', headers, body, connections: 16, seconds: 3 } as const
  const get = { headers: service.keys, connections: 16, seconds: 3 }
  const rates = { bareSet: [] as number[], vaultSet: [] as number[], bareGet: [] as number[], vaultGet: [] as number[] }
  for (let round = 0; round < 4; round++) {
    const measured = {
      bareSet: await requestsPerSecond({ ...set, url: `${bare.url}/set/k` }),
      vaultSet: await requestsPerSecond({ ...set, url: `${service.baseUrl}/api/MyVaultSetGlobal/${place}/k` }),
      bareGet: await requestsPerSecond({ ...get, url: `${bare.url}/get/k` }),
      vaultGet: await requestsPerSecond({ ...get, url: `${service.baseUrl}/api/MyVaultGetGlobal/${place}/k` }),
    }
    // The first round warms up caches, prepared statements and the compiler.
    if (round > 0)
      for (const kind of Object.keys(rates) as (keyof typeof rates)[]) rates[kind].push(measured[kind].perSecond)
  }
  return [compare('vault get', rates.vaultGet, rates.bareGet), compare('vault set', rates.vaultSet, rates.bareSet)]
}

function compare(what: string, ours: number[], bare: number[]): Row {
  const ratio = medianOf(ours) / medianOf(bare)
  return {
    what: `${what} against the bare statement`,
    measured: `${medianOf(ours).toFixed(0)}/s : ${medianOf(bare).toFixed(0)}/s = ${ratio.toFixed(2)}`,
    wanted: 'at least 0.6',
    isMet: ratio >= 0.6,
  }
}
