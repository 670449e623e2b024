// Faults of the database, again and again while runs are started: its connections go silent or are cut, it dies, it turns read-only. Nobody
// restarts anything. Then everything is counted.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts'
import { eventually } from '../harness/eventually.ts'
import { type OwnDatabase, startOwnDatabase } from '../harness/own-database.ts'
import { isLarge, proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, type SampleWorkflow } from '../harness/workflows.ts'

const faultsWanted = proofSize('DATABASE_FAULTS', { small: 5, large: 60 })
const random = proofRandom()
/** What the operator is promised, after the fault is over. */
const backMsMax = 30_000

let database: OwnDatabase
let proxy: DatabaseProxy
let base: TestService
let service: TestService
let workflow: SampleWorkflow
beforeAll(async () => {
  database = await startOwnDatabase()
  proxy = await startDatabaseProxy(database.postgres)
  base = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' }, postgres: database.postgres })
  service = await base.startAnother({ PATCHBAY_DATABASE_URL: proxy.urlFor(base.databaseUrl) })
  workflow = await deployWorkflow(service.manager, ['return 1', 'await sleep(50); return 2'])
  // Every end of a run is noted by the database itself, whoever writes it.
  await base.asOwner(`
    create table proof_ends (run_id uuid not null);
    create function note_end() returns trigger language plpgsql security definer as $$
      begin insert into patchbay.proof_ends values (new.id); return null; end $$;
    create trigger proof_note_end after update on runs for each row
      when (new.ended_at is not null and (old.ended_at is null or new.status <> old.status)) execute function note_end();`)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await base[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const name = () => new URL(base.databaseUrl).pathname.slice(1)
/** As on a standby: sessions that exist end, and new ones may only read. */
const setReadOnly = async (value: 'on' | 'off') => {
  await base.asOwner(`begin read write; alter database ${name()} set default_transaction_read_only = ${value}; commit`)
  await base.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name()}' and pid <> pg_backend_pid()`,
  )
}
const aWhile = () => new Promise((done) => setTimeout(done, 500 + random.below(3000)))

/** Each ends when the database could be used again. */
const faults = {
  silent: async () => proxy.freeze(),
  silentForNewOnesToo: async () => {
    proxy.freeze(true)
    await aWhile()
    proxy.thaw()
  },
  cut: async () => {
    proxy.cut()
    await aWhile()
    proxy.restore()
  },
  killed: async () => void (await database.kill(random)),
  readOnly: async () => {
    await setReadOnly('on')
    await aWhile()
    await setReadOnly('off')
  },
}
type Fault = keyof typeof faults

it(`loses nothing over ${faultsWanted} faults`, { timeout: 300_000 + faultsWanted * 45_000 }, async () => {
  const accepted: number[] = []
  const refused: Record<number, number> = {}
  let isOver = false
  const clients = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      const answer = await service.manager.post('/api/RunWorkflow', { workflowId: workflow.id })
      if (answer.status === 200) accepted.push(Number(answer.headers.get('x-run-number')))
      else refused[answer.status] = (refused[answer.status] ?? 0) + 1
      await new Promise((done) => setTimeout(done, 30))
    }
  })
  await eventually(() => accepted.length > 5)
  const done: Partial<Record<Fault, number>> = {}
  const backMs: number[] = []
  // Each kind in turn, so that a small proof has them all, in an order that differs.
  const kinds = random.shuffle(Object.keys(faults) as Fault[])
  for (let count = 0; count < faultsWanted; count++) {
    const kind = kinds[count % kinds.length] as Fault
    await faults[kind]()
    done[kind] = (done[kind] ?? 0) + 1
    const [over, before] = [performance.now(), accepted.length]
    await eventually(() => accepted.length > before + 20)
    await eventually(async () => (await service.client(undefined).get('/readyz')).status === 200)
    backMs.push(Math.round(performance.now() - over))
  }
  isOver = true
  await Promise.all(clients)
  await eventually(async () => (await base.asOwner('select from runs where ended_at is null')).length === 0)
  const counts = await count(accepted)
  const longest = Math.max(...backMs)
  console.log(
    `faults ${JSON.stringify(done)}, refused ${JSON.stringify(refused)}, counted ${JSON.stringify(counts)}, back after at most ${longest} ms`,
  )
  expect(counts).toMatchObject({
    lost: 0,
    doubleNumber: 0,
    doubleEnd: 0,
    withoutEnd: 0,
    failed: 0,
    withoutAllBlocks: 0,
  })
  expect(Object.keys(refused).filter((status) => status !== '503')).toEqual([])
  if (isLarge) expect(longest).toBeLessThan(backMsMax)
})

async function count(accepted: readonly number[]) {
  const runs = (await base.asOwner(`
    select r.run_number, r.status, (select count(*)::int from proof_ends e where e.run_id = r.id) as ends,
      (select count(*)::int from run_blocks b where b.run_id = r.id) as blocks
    from runs r`)) as { run_number: number; status: string; ends: number; blocks: number }[]
  const numbers = new Set(runs.map(({ run_number }) => run_number))
  const those = (is: (run: (typeof runs)[number]) => boolean) => runs.filter(is).length
  return {
    accepted: accepted.length,
    runs: runs.length,
    lost: accepted.filter((number) => !numbers.has(number)).length,
    doubleNumber: accepted.length - new Set(accepted).size + runs.length - numbers.size,
    doubleEnd: those(({ ends }) => ends > 1),
    withoutEnd: those(({ ends }) => ends === 0),
    failed: those(({ status }) => status !== 'Ready'),
    withoutAllBlocks: those(({ blocks }) => blocks !== workflow.blocks.length),
  }
}
