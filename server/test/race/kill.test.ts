// The proof of kill -9: workers, script processes and the database are killed at random while runs are started and schedules tick. Then
// everything is counted.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type OwnDatabase, startOwnDatabase } from '../harness/own-database.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { killProcess, listScriptProcesses } from '../harness/script-processes.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startCrew } from '../harness/worker-crew.ts'
import { deployWorkflow, type SampleWorkflow } from '../harness/workflows.ts'

const kills = proofSize('KILLS', { small: 10, large: 200 })
const workersWanted = 3
const random = proofRandom()

let database: OwnDatabase
let api: TestService
beforeAll(async () => {
  database = await startOwnDatabase()
  api = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' }, postgres: database.postgres })
  // Every end of a run and every record of a block is noted by the database itself, whoever writes it.
  await api.asOwner(`
    create table proof_ends (run_id uuid not null, status text not null);
    create function note_end() returns trigger language plpgsql security definer as $$
      begin insert into patchbay.proof_ends values (new.id, new.status); return null; end $$;
    create trigger proof_note_end after update on runs for each row
      when (new.status in ('Ready', 'Error', 'Stopped') and (old.ended_at is null or new.status <> old.status)) execute function note_end();`)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** Each beginning of each block is noted with its time, so that one after the record of the block shows. */
const block = (rest: string) => `
  const key = "began-" + run.idempotencyKey.replaceAll(":", "-")
  myVault.set(key, [...(myVault.get(key) ?? []), Date.now()])
  ${rest}`

it(`loses nothing over ${kills} kills`, { timeout: 300_000 + kills * 15_000 }, async () => {
  const workflows: SampleWorkflow[] = await Promise.all([
    deployWorkflow(api.manager, [block('return 1')]),
    deployWorkflow(api.manager, [block('return 1'), block('await sleep(300); return 2'), block('return 3')]),
    deployWorkflow(api.manager, [
      { script: block('return 1'), after: [] },
      { script: block('await sleep(100); return 2'), after: [] },
      { script: block('myVault.setOnComplete("last", run.runNumber); return Datasource'), after: [1, 2] },
    ]),
    deployWorkflow(api.manager, [
      block('let s = 0; for (let i = 0; i < 5e6; i++) s += i; return s'),
      block('return 2'),
    ]),
  ])
  const scheduled = workflows[1] as SampleWorkflow
  await api.manager.post('/api/WorkflowScheduler', {
    workflowId: scheduled.id,
    isScheduled: true,
    scheduleFrequency: '* * * * *',
  })
  const accepted = new Map(workflows.map(({ id }) => [id, new Set<number>()]))
  const done = { workers: 0, scripts: 0, databases: 0 }
  {
    await using crew = await startCrew(api, workersWanted)
    while (done.workers + done.scripts + done.databases < kills) {
      for (let run = 0; run < 8; run++) {
        const { id } = random.pick(workflows)
        // What was not answered with 200 is not promised.
        const answer = await api.manager.post('/api/RunWorkflow', { workflowId: id })
        if (answer.status === 200) accepted.get(id)?.add(Number(answer.headers.get('x-run-number')))
        else expect(answer.status, answer.text).toBe(503)
      }
      const lot = random.next()
      if (lot < 0.1) {
        await database.kill(random)
        done.databases++
      } else if (lot < 0.6) {
        await crew.killOne(random)
        done.workers++
      } else {
        const found = listScriptProcesses(crew.programs().map(({ pid }) => pid))
        if (found.length > 0 && killProcess(random.pick(found))) done.scripts++
      }
    }
    const open = () => api.asOwner('select from runs where ended_at is null')
    await eventually(async () => (await open()).length === 0)
  }

  const counts = await count(workflows, accepted)
  console.log(`killed ${JSON.stringify(done)}, counted ${JSON.stringify(counts)}`)
  expect(counts).toMatchObject({
    lost: 0,
    withoutEnd: 0,
    doubleEnd: 0,
    doubleNumber: 0,
    gapsInNumbers: 0,
    recordedBlockRunAgain: 0,
    readyWithoutAllBlocks: 0,
    tickTwice: 0,
    jobsLeft: 0,
    miscounted: [],
  })
  // A killed script process fails the block it ran and nothing else; a block that asks for its vault while the database is away waits.
  expect(counts.failedByService).toBe(0)
  expect(counts.failed).toBeLessThanOrEqual(done.scripts)
  expect(counts.runs).toBeGreaterThanOrEqual(counts.accepted)
})

/** Not its script's fault: what the script asked for could not be had. */
function isOfService(message: string | null): boolean {
  return message?.includes('The service failed while this block ran.') ?? false
}

async function count(workflows: readonly SampleWorkflow[], accepted: ReadonlyMap<string, ReadonlySet<number>>) {
  const runs = (await api.asOwner('select * from runs')) as {
    id: string
    workflow_id: string
    run_number: number
    status: string
    run_by: string
    created_at: Date
    error_message: string | null
  }[]
  const ends = (await api.asOwner('select run_id, count(*)::int as n from proof_ends group by run_id')) as {
    run_id: string
    n: number
  }[]
  const blocks = (await api.asOwner('select run_id, block_id, status, ended_at from run_blocks')) as {
    run_id: string
    block_id: string
    status: string
    ended_at: Date
  }[]
  const [jobs] = await api.asOwner("select count(*)::int as n from jobs where queue = 'runs'")
  const numbers = new Map(
    workflows.map(({ id }) => [id, runs.filter((run) => run.workflow_id === id).map((run) => run.run_number)]),
  )
  const sum = (of: (id: string, found: number[]) => number) =>
    workflows.reduce((total, { id }) => total + of(id, numbers.get(id) ?? []), 0)
  const endOf = new Map(ends.map((end) => [end.run_id, end.n]))

  let recordedBlockRunAgain = 0
  let beganTwice = 0
  for (const row of blocks) {
    const run = runs.find(({ id }) => id === row.run_id)
    const key = `began-${row.run_id}-${row.block_id}`
    const began = (await api.manager.get(`/api/MyVaultGet/${run?.workflow_id}/${key}`)).body as number[] | null
    // Null: its script process was killed before the script could note anything.
    if (began === null) continue
    if (began.length > 1) beganTwice++
    if (Math.max(...began) > row.ended_at.getTime()) recordedBlockRunAgain++
  }
  const ticks = runs
    .filter((run) => run.run_by === 'Scheduler')
    .map((run) => Math.floor(run.created_at.getTime() / 60_000))
  return {
    runs: runs.length,
    accepted: sum((id) => accepted.get(id)?.size ?? 0),
    failed: runs.filter((run) => run.status === 'Error').length,
    failedByService: runs.filter((run) => isOfService(run.error_message)).length,
    blocks: blocks.length,
    beganTwice,
    lost: sum((id, found) => [...(accepted.get(id) ?? [])].filter((number) => !found.includes(number)).length),
    withoutEnd: runs.filter((run) => (endOf.get(run.id) ?? 0) === 0).length,
    doubleEnd: ends.filter((end) => end.n > 1).length,
    doubleNumber: sum((_id, found) => found.length - new Set(found).size),
    gapsInNumbers: sum((_id, found) => Math.max(0, ...found) - new Set(found).size),
    recordedBlockRunAgain,
    readyWithoutAllBlocks: runs.filter((run) => {
      const wanted = workflows.find(({ id }) => id === run.workflow_id)?.blocks.length
      return run.status === 'Ready' && blocks.filter((row) => row.run_id === run.id).length !== wanted
    }).length,
    // The schedule ticks once a minute; the minute of a start is the minute of its tick unless it was late, and then it is the only one.
    tickTwice: ticks.length - new Set(ticks).size,
    jobsLeft: Number(jobs?.['n']),
    miscounted: await recount(),
  }
}

/** What RunStatistics and Usage say that the rows do not. */
async function recount(): Promise<string[]> {
  const [row] = await api.asOwner(`
    select (select count(*)::int from runs) as runs, (select count(*)::int from runs where status = 'Ready') as ready,
      (select count(*)::int from runs where status = 'Error') as error, (select count(*)::int from run_blocks) as blocks,
      (select coalesce(sum(count_calls(calls)), 0)::int from run_blocks) as calls,
      (select coalesce(sum(greatest(0, extract(epoch from ended_at - started_at) * 1000 - pause_ms)), 0)::int from run_blocks) as "scriptMs"`)
  const day = 86_400_000
  const range = {
    searchFrom: new Date(Date.now() - day).toISOString(),
    searchTo: new Date(Date.now() + day).toISOString(),
    bucket: 'day',
  }
  const { total } = (await api.manager.post('/api/RunStatistics', range)).body
  const { items } = (await api.manager.post('/api/Usage', range)).body as { items: Record<string, number>[] }
  const used = (name: string) => items.reduce((sum, item) => sum + (item[name] ?? 0), 0)
  const told: Record<string, number> = {
    ready: total.ready,
    error: total.error,
    ...Object.fromEntries(['runs', 'blocks', 'calls', 'scriptMs'].map((name) => [name, used(name)])),
  }
  return Object.keys(told).flatMap((name) =>
    told[name] === row?.[name] ? [] : [`${name}: ${told[name]} instead of ${row?.[name]}`],
  )
}
