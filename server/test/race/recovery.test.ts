// What happens to runs whose worker dies, hangs or is told to stop. Workers here are processes of their own.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queues } from '../../src/queues.ts'
import { eventually } from '../harness/eventually.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { isLarge } from '../harness/proof-size.ts'
import { replayToEnd } from '../harness/replays.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, endOf, type SampleWorkflow, startRun } from '../harness/workflows.ts'

let api: TestService
beforeAll(async () => {
  api = await startService({ role: 'api' })
})
afterAll(() => api[Symbol.asyncDispose]())

const sameInstallation = () => ({
  PATCHBAY_DATABASE_URL: api.databaseUrl,
  PATCHBAY_DATA_DIR: api.dataDir,
  PATCHBAY_LOG_LEVEL: 'warn',
})

async function startWorker(): Promise<Program> {
  const worker = startProgram('main', ['worker'], sameInstallation())
  await worker.saw(/worker is ready/)
  return worker
}

const vault = async (workflow: SampleWorkflow, key: string) =>
  (await api.manager.get(`/api/MyVaultGet/${workflow.id}/${key}`)).body

const letGo = (workflow: SampleWorkflow) => api.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })

/** Counts in the vault how often the script began. */
const counted = (name: string, rest: string) =>
  `const began = (myVault.get("${name}") ?? 0) + 1; myVault.set("${name}", began); ${rest}`

/** Waits to be let go, and a moment longer: its worker says that it stops just before its runs hear of it. */
const untilLetGo = (name: string) =>
  counted(name, 'while (!myVault.contains("go")) await sleep(50); await sleep(1000); return 1')

/** A request whose body does not come to its end. The service has read its head when this resolves. */
async function beginRequest(url: string): Promise<Disposable & { end(): void }> {
  const { hostname, port } = new URL(url)
  const { consumer = '', secretKey = '' } = api.manager.keys ?? {}
  const socket = connect(Number(port), hostname)
  const head = ['POST /api/Accounts HTTP/1.1', `Host: ${hostname}`, `Consumer: ${consumer}`, `SecretKey: ${secretKey}`]
  const body = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue']
  socket.write(`${[...head, ...body].join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /)
  socket.on('error', () => {})
  return { end: () => socket.destroy(), [Symbol.dispose]: () => void socket.destroy() }
}

/** As if so much time had passed since the last sign of life. */
const forgetHeartbeats = () =>
  api.asOwner("update jobs set heartbeat_at = now() - interval '1 hour' where queue = 'runs' and state = 'active'")

const rowOf = async (workflow: SampleWorkflow) =>
  (await api.asOwner('select * from runs where workflow_id = $1', [workflow.id]))[0]

/** Whether a death would be blamed on this block. On a slow machine one before it may be noted, too. */
const isUnderWay = async (workflow: SampleWorkflow, block: number) =>
  String((await rowOf(workflow))?.['under_way']).includes(workflow.blocks[block] as string)

describe('a run whose worker', () => {
  it('died goes on on another one, after its last recorded block', async () => {
    const workflow = await deployWorkflow(api.manager, [
      counted('first', 'session.vars.kept = "yes"; myVault.setOnComplete("deferred", 5); return { n: 41 }'),
      counted('second', 'if (began === 1) await sleep(120000); return { n: Datasource[0].n + 1, vars: session.vars }'),
    ])
    const victim = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'second')) === 1)
    await using _heir = await startWorker()
    victim.kill('SIGKILL')
    await victim.ended
    const diedAt = Date.now()
    // So many seconds without a sign of life, and another looks every few seconds: less than half a minute.
    expect(queues['runs']?.heartbeatSeconds).toBe(10)
    const run = await endOf(api.manager, workflow.id, number)
    if (isLarge) expect(Date.now() - diedAt).toBeLessThan(30_000)
    expect(run).toMatchObject({ status: 'Ready' })
    expect(await vault(workflow, 'first')).toBe(1)
    expect(await vault(workflow, 'second')).toBe(2)
    expect(await vault(workflow, 'deferred')).toBe(5)
    expect((await blockResult(api.manager, workflow, 2)).body.result).toEqual({ n: 42, vars: { kept: 'yes' } })
  })

  it('died three times on the same block ends in Error, naming the block', async () => {
    const workflow = await deployWorkflow(api.manager, [
      'return 1',
      { script: counted('tries', 'await sleep(120000); return 2'), blockName: 'Killer' },
    ])
    const number = await startRun(api.manager, workflow.id)
    for (let death = 1; death <= 3; death++) {
      const victim = await startWorker()
      await eventually(async () => (await vault(workflow, 'tries')) === death)
      await eventually(() => isUnderWay(workflow, 1))
      victim.kill('SIGKILL')
      await victim.ended
      await forgetHeartbeats()
    }
    await using _last = await startWorker()
    const run = await endOf(api.manager, workflow.id, number)
    expect(run).toMatchObject({ status: 'Error', lastExecutedBlockTitle: 'Killer' })
    expect(run.errorMessage).toMatch(/Killer.*three times/)
    expect(await vault(workflow, 'tries')).toBe(3)
  })

  it('died three times, and which had not begun, is not to blame', async () => {
    const workflow = await deployWorkflow(api.manager, ['await sleep(200); return 1'])
    const numbers = await Promise.all(Array.from({ length: 150 }, () => startRun(api.manager, workflow.id)))
    for (let death = 1; death <= 3; death++) {
      const victim = await startWorker()
      await eventually(async () => {
        const rows = await api.asOwner("select 1 from jobs where queue = 'runs' and state = 'active'")
        return rows.length > 40
      })
      victim.kill('SIGKILL')
      await victim.ended
      await forgetHeartbeats()
    }
    await using _last = await startWorker()
    for (const number of numbers)
      expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })

  it('died twice while its block was under way is tried alone, and nobody else begins beside it', async () => {
    const suspect = await deployWorkflow(api.manager, [
      counted('tries', 'myVault.set("at", Date.now()); await sleep(began === 3 ? 500 : 120000); return Date.now()'),
    ])
    const number = await startRun(api.manager, suspect.id)
    for (let death = 1; death <= 2; death++) {
      const victim = await startWorker()
      await eventually(async () => (await vault(suspect, 'tries')) === death)
      await eventually(() => isUnderWay(suspect, 0))
      victim.kill('SIGKILL')
      await victim.ended
      await forgetHeartbeats()
    }
    await using _last = await startWorker()
    await eventually(async () => (await vault(suspect, 'tries')) === 3)
    const bystander = await deployWorkflow(api.manager, ['return Date.now()'])
    await endOf(api.manager, bystander.id, await startRun(api.manager, bystander.id))
    expect(await endOf(api.manager, suspect.id, number)).toMatchObject({ status: 'Ready' })
    const ended = (await blockResult(api.manager, suspect, 1)).body.result as number
    expect((await blockResult(api.manager, bystander, 1)).body.result as number).toBeGreaterThanOrEqual(ended)
  })

  it('died after it was told to stop is Stopped, although a block was recorded that slept', async () => {
    const workflow = await deployWorkflow(api.manager, [
      { script: counted('asleep', 'await sleep(3_000_000); return 1'), after: [] },
      { script: counted('busy', 'while (!myVault.contains("go")); return 2'), after: [] },
    ])
    const victim = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'asleep')) === 1 && (await vault(workflow, 'busy')) === 1)
    await api.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    await eventually(async () => (await blockResult(api.manager, workflow, 1)).status === 200)
    victim.kill('SIGKILL')
    await victim.ended
    await forgetHeartbeats()
    await letGo(workflow)
    await using _heir = await startWorker()
    const run = await endOf(api.manager, workflow.id, number)
    expect(run).toMatchObject({ status: 'Stopped', errorMessage: null })
  })

  it('hung and came back has its late result dropped', async () => {
    const workflow = await deployWorkflow(api.manager, [
      counted('tries', 'while (began === 1 && !myVault.contains("go")) await sleep(50); return { by: began }'),
      'return Datasource[0].by',
    ])
    await using sleeper = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'tries')) === 1)
    sleeper.kill('SIGSTOP')
    await forgetHeartbeats()
    await using _heir = await startWorker()
    const run = await endOf(api.manager, workflow.id, number)
    expect(run).toMatchObject({ status: 'Ready' })
    const before = await rowOf(workflow)
    await letGo(workflow)
    sleeper.kill('SIGCONT')
    // The sleeper is through with its script when it takes runs again.
    const witness = await deployWorkflow(api.manager, ['return 1'])
    for (let more = 1; more <= 5; more++) await endOf(api.manager, witness.id, await startRun(api.manager, witness.id))
    sleeper.kill('SIGTERM')
    expect(await sleeper.ended).toBe(0)
    expect(await rowOf(workflow)).toEqual(before)
    expect((await blockResult(api.manager, workflow, 1)).body.result).toEqual({ by: 2 })
    expect((await blockResult(api.manager, workflow, 2)).body.result).toBe(2)
  })

  it('is told to stop finishes its block there and goes on elsewhere at once, which is no death', async () => {
    const workflow = await deployWorkflow(api.manager, [
      untilLetGo('first'),
      counted('second', 'return 2'),
      counted('third', 'return 3'),
    ])
    const leaving = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'first')) === 1)
    leaving.kill('SIGTERM')
    await leaving.saw(/Stopping\./)
    await letGo(workflow)
    expect(await leaving.ended).toBe(0)
    expect(await vault(workflow, 'second')).toBeNull()
    expect(await rowOf(workflow)).toMatchObject({ ended_at: null, is_handed_back: true })
    // It waits for anybody again: no heartbeat has to run out.
    expect(await api.asOwner("select from jobs where queue = 'runs' and state = 'active'")).toHaveLength(0)
    await using _heir = await startWorker()
    const run = await endOf(api.manager, workflow.id, number)
    expect(run).toMatchObject({ status: 'Ready' })
    for (const block of ['first', 'second', 'third']) expect(await vault(workflow, block)).toBe(1)
    expect(await rowOf(workflow)).toMatchObject({ deaths: {}, is_handed_back: false })
  })

  it('is told to stop hands back at once a block that sleeps or waits to be tried again, while others finish theirs', async () => {
    const asleep = await deployWorkflow(api.manager, [
      counted('tries', 'if (began === 1) await sleep(3_000_000); return began'),
    ])
    const retrying = await deployWorkflow(api.manager, [
      counted(
        'tries',
        `if (began < 5 && !myVault.contains("go")) { const e = new Error("later"); e.name = "RetryError"; throw e } return began`,
      ),
    ])
    const busy = await deployWorkflow(api.manager, [untilLetGo('first')])
    const leaving = await startWorker()
    const numbers = {
      asleep: await startRun(api.manager, asleep.id),
      retrying: await startRun(api.manager, retrying.id),
      busy: await startRun(api.manager, busy.id),
    }
    await eventually(async () => (await vault(asleep, 'tries')) === 1 && (await vault(busy, 'first')) === 1)
    // It waits for eight seconds from here.
    await eventually(async () => (await vault(retrying, 'tries')) === 4)
    leaving.kill('SIGTERM')
    await eventually(
      async () => (await rowOf(asleep))?.['is_handed_back'] && (await rowOf(retrying))?.['is_handed_back'],
    )
    await letGo(retrying)
    await letGo(busy)
    expect(await leaving.ended).toBe(0)
    await using _heir = await startWorker()
    for (const [workflow, number] of [
      [asleep, numbers.asleep],
      [retrying, numbers.retrying],
      [busy, numbers.busy],
    ] as const)
      expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
    expect(await vault(asleep, 'tries')).toBe(2)
    // It was neither handed back nor cut off when the time for blocks was over.
    expect(await vault(busy, 'first')).toBe(1)
    expect(await rowOf(asleep)).toMatchObject({ deaths: {} })
  })

  it('is told to stop hears of it first, also where requests hold up the end of the process', async () => {
    const workflow = await deployWorkflow(api.manager, [untilLetGo('first'), counted('second', 'return 2')])
    const leaving = startProgram('main', [], { ...sameInstallation(), PATCHBAY_PORT: '0' })
    const [, url = ''] = await leaving.saw(/Patchbay is ready at (\S+) /)
    await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'first')) === 1)
    using request = await beginRequest(url)
    leaving.kill('SIGTERM')
    await leaving.saw(/Stopping\./)
    await letGo(workflow)
    await eventually(async () => {
      const row = await rowOf(workflow)
      return row?.['is_handed_back'] || row?.['ended_at'] !== null
    })
    expect(await rowOf(workflow)).toMatchObject({ ended_at: null, is_handed_back: true })
    expect(await vault(workflow, 'second')).toBeNull()
    request.end()
    expect(await leaving.ended).toBe(0)
  })

  it('is told to stop, and which ends there before all its blocks have begun, cannot be replayed', async () => {
    const until = (key: string) => `while (!myVault.contains("${key}")) await sleep(50);`
    const workflow = await deployWorkflow(api.manager, [
      { script: counted('first', 'return 1'), after: [] },
      { script: `${until('go')} return 2`, after: [1] },
      { script: `${until('end')} throw new Error("no")`, after: [1] },
      { script: 'return 4', after: [2] },
    ])
    const leaving = startProgram('main', [], { ...sameInstallation(), PATCHBAY_PORT: '0' })
    const [, url = ''] = await leaving.saw(/Patchbay is ready at (\S+) /)
    const number = await startRun(api.manager, workflow.id)
    await eventually(async () => (await vault(workflow, 'first')) === 1)
    await eventually(() => isUnderWay(workflow, 2))
    using request = await beginRequest(url)
    leaving.kill('SIGTERM')
    await leaving.saw(/Stopping\./)
    // Nobody answers any more by the time the runs have heard of it.
    await eventually(() =>
      fetch(`${url}/livez`).then(
        () => false,
        () => true,
      ),
    )
    await letGo(workflow)
    await eventually(
      async () => (await api.asOwner('select from run_blocks where block_id = $1', [workflow.blocks[1]])).length === 1,
    )
    await api.manager.post(`/api/MyVaultSet/${workflow.id}/end`, { jsonData: true })
    expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Error' })
    request.end()
    expect(await leaving.ended).toBe(0)
    await using _worker = await startWorker()
    expect((await replayToEnd(api.manager, workflow.id, { runNumbers: [number] })).runs).toMatchObject([
      { outcome: 'notReplayable', message: 'The service was stopping when the run ended, so it was not recorded.' },
    ])
  })
})

describe('a database clock that was set back by an hour', () => {
  it.each([
    ['holds up neither runs that wait nor those of a worker that died', false],
    ['holds them up no longer than until they can be moved', true],
  ])('%s', async (_name, isMovedLater) => {
    const held = await deployWorkflow(api.manager, [counted('tries', 'if (began === 1) await sleep(120000); return 1')])
    const victim = await startWorker()
    const heldNumber = await startRun(api.manager, held.id)
    await eventually(async () => (await vault(held, 'tries')) === 1)
    victim.kill('SIGKILL')
    await victim.ended
    const waiting = await deployWorkflow(api.manager, ['return 2'])
    const waitingNumber = await startRun(api.manager, waiting.id)
    // What was written before lies in the future then.
    const hour = "interval '1 hour'"
    await api.asOwner(`update jobs set queued_at = queued_at + ${hour}, due_at = due_at + ${hour},
      taken_at = taken_at + ${hour}, heartbeat_at = heartbeat_at + ${hour}`)
    await api.asOwner(`update database_clock set seen_at = seen_at + ${hour}`)
    if (isMovedLater) {
      await api.asOwner(`create function not_now() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
        create trigger not_now before update on jobs for each row
          when (old.state = 'active' and old.heartbeat_at > now()) execute function not_now()`)
    }
    await using heir = await startWorker()
    if (isMovedLater) {
      await heir.saw(/not now/)
      await api.asOwner('drop function not_now cascade')
    }
    expect(await endOf(api.manager, waiting.id, waitingNumber)).toMatchObject({ status: 'Ready' })
    expect(await endOf(api.manager, held.id, heldNumber)).toMatchObject({ status: 'Ready' })
  })
})

describe('runs that wait', () => {
  it('are found by a worker that starts later', async () => {
    const workflow = await deployWorkflow(api.manager, ['return 1'])
    const numbers = await Promise.all(Array.from({ length: 20 }, () => startRun(api.manager, workflow.id)))
    await using _worker = await startWorker()
    for (const number of numbers)
      expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })
})
