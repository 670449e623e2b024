// What this machine can do at all: the scripts without a service around them, and the rows without scripts.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type pg from 'pg'
import { connectOwner } from './owner.ts'

const seconds = 3

/** Scripts a second in bare isolates, on all cores. */
export async function bareScriptsPerSecond(script: string): Promise<number> {
  const program = fileURLToPath(new URL('./bare-isolates.ts', import.meta.url))
  const counts = await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const args = ['--no-node-snapshot', program, String(seconds), script]
      return Number((await promisify(execFile)(process.execPath, args)).stdout)
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}

/** Runs a second, if a run were nothing but its rows: accepted in one transaction, ended with its block in another. */
export async function bareRowsPerSecond(dataDir: string): Promise<number> {
  const clients = await Promise.all(Array.from({ length: 8 }, () => connectOwner(dataDir)))
  const [first] = clients as [pg.Client]
  await first.query('create table bare_runs (like runs including all)')
  await first.query('create table bare_run_blocks (like run_blocks including all)')
  const endAt = performance.now() + seconds * 1000
  const counts = await Promise.all(
    clients.map(async (client) => {
      let count = 0
      for (; performance.now() < endAt; count++) await writeRun(client)
      return count
    }),
  )
  await Promise.all(clients.map((client) => client.end()))
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}

const insertRun = `
  insert into bare_runs (id, account_id, workflow_id, run_number, revision, run_by, processor_type, created_at, counts_from, moves_date_last_run)
  values (uuidv7(), gen_random_uuid(), gen_random_uuid(), 1, 1, 'API', 'Standard', now(), now(), true) returning id`
const endRun = `
  with ended as (update bare_runs set status = 'Ready', ended_at = now() where id = $1 returning id, account_id)
  insert into bare_run_blocks (run_id, block_id, account_id, seq, status, result, started_at, ended_at, pause_ms)
  select id, gen_random_uuid(), account_id, 1, 'Ready', '{"value":55}', now(), now(), 0 from ended`

async function writeRun(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string }>({ name: 'insert', text: insertRun })
  await client.query({ name: 'end', text: endRun, values: [rows[0]?.id] })
}
