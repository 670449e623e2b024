// What a run costs the machine, and what further processes add: one-block runs with 1, 2 and 4 processes (PATCHBAY_PROCESSES) on an embedded database.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployBlocks, runAtFullLoad } from './runs.ts'
import { newDataDir, startBenchService } from './service.ts'

const runs = 2000
const processCounts = [1, 2, 4]

type Cost = {
  perSecond: number
  walBytes: number
  commits: number
  databaseMs: number
  serviceMs: number
  scriptMs: number
}

export async function benchCapacity(): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of processCounts) {
    const cost = await measure(count)
    rows.push({
      what: `${count} ${count === 1 ? 'process' : 'processes'}: one-block runs a second`,
      measured: cost.perSecond.toFixed(0),
      wanted:
        `per run: ${cost.walBytes.toFixed(0)} bytes of WAL, ${cost.commits.toFixed(2)} commits, processor ` +
        `${cost.databaseMs.toFixed(2)} ms database, ${cost.serviceMs.toFixed(2)} ms service, ${cost.scriptMs.toFixed(2)} ms scripts`,
      isMet: undefined,
    })
  }
  return rows
}

async function measure(processes: number): Promise<Cost> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path, { PATCHBAY_PROCESSES: String(processes) })
  const { Consumer: consumer, SecretKey: secretKey } = service.keys
  const client = createClient({ baseUrl: service.baseUrl, keys: { consumer, secretKey } })
  const workflowId = await deployBlocks(client, 1)
  const owner = await connectOwner(dataDir.path)
  try {
    await runAtFullLoad(service, client, workflowId, runs)
    const before = await counters(owner, service.pid)
    const perSecond = await runAtFullLoad(service, client, workflowId, runs)
    const after = await counters(owner, service.pid)
    const perRun = (name: keyof typeof before) => (after[name] - before[name]) / runs
    return {
      perSecond,
      walBytes: perRun('walBytes'),
      commits: perRun('commits'),
      databaseMs: perRun('databaseMs'),
      serviceMs: perRun('serviceMs'),
      scriptMs: perRun('scriptMs'),
    }
  } finally {
    await owner.end()
  }
}

async function counters(owner: pg.Client, pid: number) {
  const { rows } = await owner.query(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, (select sum(xact_commit)::float8 from pg_stat_database) as commits`,
  )
  return { walBytes: rows[0].wal as number, commits: rows[0].commits as number, ...processorMs(pid) }
}

/** Processor time of the service and of everything below it, by what the processes do. */
function processorMs(pid: number): { databaseMs: number; serviceMs: number; scriptMs: number } {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+(.*)$/))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3] as string }] : []))
  const below = (parent: number): typeof rows =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.pid)])
  const sums = { databaseMs: 0, serviceMs: ticksOf(pid) * 10, scriptMs: 0 }
  for (const each of below(pid)) {
    const kind = /postgres/.test(each.args) ? 'databaseMs' : /guest/.test(each.args) ? 'scriptMs' : 'serviceMs'
    sums[kind] += ticksOf(each.pid) * 10
  }
  return sums
}

/** Hundredths of a second, of the process and of children that it has waited for. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
  } catch {
    // It ended between the list and the look.
    return 0
  }
}
