import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import { startService, type TestService } from '../harness/service.ts'
import {
  blockResult,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

const nobody = '00000000-0000-4000-8000-000000000000'

/** Keeps a block under way without sleeping: a stop would end a sleep. */
const busy = (ms: number) => `const end = Date.now() + ${ms}; while (Date.now() < end);`
/** Says that it has begun, and goes on when it is let. */
const untilLet = `myVault.set("begun", 1); while (!myVault.contains("go")) { ${busy(50)} }`

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('partial runs', () => {
  it('reuse the results of the latest run, are Debug runs, and leave dateLastRun and the vault alone', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'myVault.setGlobalOnComplete("n", run.runNumber); session.vars.from = run.runNumber; return { at: run.runNumber }',
      'return { at: run.runNumber, source: Datasource[0], vars: session.vars }',
      'return Datasource[0]',
    ])
    const whole = await runToEnd(service.manager, workflow.id)
    const partial = await runToEnd(service.manager, workflow.id, { runFromBlock: 2, runTillBlock: 2 })
    expect(partial).toMatchObject({ status: 'Ready', processorType: 'Debug', lockVersionNumber: 2 })
    expect((await blockResult(service.manager, workflow, 2, 2)).body.result).toEqual({
      at: 2,
      source: { at: 1 },
      vars: { from: 1 },
    })
    expect((await blockResult(service.manager, workflow, 1, 2)).body.result).toEqual({ at: 1 })
    expect((await blockResult(service.manager, workflow, 3, 2)).status).toBe(404)
    const shown = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(shown.dateLastRunUTC).toBe(whole.startDateTimeUTC)
    const { accountId } = service.firstAccount
    expect((await service.manager.get(`/api/MyVaultGetGlobal/${accountId}/n`)).body).toBe(1)
    // The latest run, partial as it was, holds what the next one needs.
    const next = await runToEnd(service.manager, workflow.id, { runFromBlock: 3 })
    expect(next).toMatchObject({ status: 'Ready', processorType: 'Debug' })
    expect((await blockResult(service.manager, workflow, 3, 3)).body.result.at).toBe(2)
  })

  it('are refused while the latest run has no result of a block before them', async () => {
    const workflow = await deployWorkflow(service.manager, ['return 1', 'throw new Error("x")', 'return 3'])
    const refused = async () => {
      const answer = await service.manager.post('/api/RunWorkflow', { workflowId: workflow.id, runFromBlock: 3 })
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toMatch(/no result/)
    }
    await refused()
    await runToEnd(service.manager, workflow.id)
    await refused()
    const till = await runToEnd(service.manager, workflow.id, { runTillBlock: 1 })
    expect(till).toMatchObject({ status: 'Ready', processorType: 'Debug', lastExecutedBlockId: workflow.blocks[0] })
  })
})

const hasBegun = (workflow: SampleWorkflow) =>
  eventually(async () => (await service.manager.get(`/api/MyVaultGet/${workflow.id}/begun`)).body === 1)
const letGo = (workflow: SampleWorkflow) =>
  service.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })

describe('GET /api/StopWorkflowRun', () => {
  it('lets the block under way finish and starts no further one', async () => {
    const workflow = await deployWorkflow(service.manager, [
      `${untilLet} myVault.setOnComplete("k", 1); return "done"`,
      'return "never"',
    ])
    const number = await startRun(service.manager, workflow.id)
    await hasBegun(workflow)
    const stopped = await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    expect(stopped.body).toBe(true)
    expect((await findRun(service.manager, workflow.id, number)).status).toBe('Stopping')
    await letGo(workflow)
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Stopped', errorMessage: null })
    expect((await blockResult(service.manager, workflow, 1)).body.result).toBe('done')
    expect((await blockResult(service.manager, workflow, 2)).status).toBe(404)
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/k`)).body).toBeNull()
    expect((await service.manager.get(`/api/Workflow/${workflow.id}`)).body).toMatchObject({
      dateLastRunUTC: null,
      lastRunStatus: 'Stopped',
    })
    // Repeating it is harmless.
    expect((await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)).body).toBe(false)
  })

  it('also when the block under way is the last', async () => {
    const workflow = await deployWorkflow(service.manager, [`${untilLet} return 1`])
    const number = await startRun(service.manager, workflow.id)
    await hasBegun(workflow)
    await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    await letGo(workflow)
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Stopped' })
  })

  it('ends a sleep at once: the block has no result, and the run is Stopped', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'myVault.set("begun", 1); await sleep(3_000_000); return 1',
      'return 2',
    ])
    const number = await startRun(service.manager, workflow.id)
    await hasBegun(workflow)
    await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Stopped', errorMessage: null })
    expect((await blockResult(service.manager, workflow, 1)).body).toMatchObject({
      success: false,
      result: 'The run was stopped while the script slept.',
    })
    expect((await blockResult(service.manager, workflow, 2)).status).toBe(404)
  })

  it('does not begin a block that waits for a script process', async () => {
    // Far more than all cores can begin before the stop is heard. Each ends before it counts as one that takes long and others go on beside it.
    const count = 10 * availableParallelism()
    const workflow = await deployWorkflow(service.manager, [`${busy(800)} return 1`])
    const numbers = await Promise.all(Array.from({ length: count }, () => startRun(service.manager, workflow.id)))
    const last = Math.max(...numbers)
    await eventually(async () => (await findRun(service.manager, workflow.id, last)).status === 'Processing')
    expect((await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${last}`)).body).toBe(true)
    expect(await endOf(service.manager, workflow.id, last)).toMatchObject({ status: 'Stopped', errorMessage: null })
    expect((await blockResult(service.manager, workflow, 1, last)).status).toBe(404)
    // The others need not all be waited for.
    for (const number of numbers.filter((one) => one !== last).slice(0, 4))
      expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })

  it('ends a run at once that nobody works on', async () => {
    const alone = await startService({ role: 'api' })
    try {
      const workflow = await deployWorkflow(alone.manager, ['return 1'])
      const number = await startRun(alone.manager, workflow.id)
      expect((await findRun(alone.manager, workflow.id, number)).status).toBe('Pending')
      expect((await alone.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)).body).toBe(true)
      expect(await findRun(alone.manager, workflow.id, number)).toMatchObject({ status: 'Stopped' })
      expect(await alone.asOwner("select from jobs where queue = 'runs'")).toHaveLength(0)
    } finally {
      await alone[Symbol.asyncDispose]()
    }
  })

  it.each(['', '?runNumber=x', '?runNumber=0', '?runNumber=-1', '?runNumber=1.5'])(
    'refuses %j with 400',
    async (query) => {
      const { id } = await deployWorkflow(service.manager, ['return 1'])
      for (const name of ['StopWorkflowRun', 'RetryRun'])
        expect((await service.manager.get(`/api/${name}/${id}${query}`)).status).toBe(400)
    },
  )

  it('knows no foreign and no unknown runs', async () => {
    const { id } = await deployWorkflow(service.manager, ['throw new Error("x")'])
    await runToEnd(service.manager, id)
    const other = await createOrganization(service)
    for (const name of ['StopWorkflowRun', 'RetryRun']) {
      const answers = await Promise.all([
        other.manager.get(`/api/${name}/${id}?runNumber=1`),
        service.manager.get(`/api/${name}/${id}?runNumber=2`),
        service.manager.get(`/api/${name}/${nobody}?runNumber=1`),
      ])
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    }
  })
})

describe('GET /api/RetryRun', () => {
  it('starts a new run from the failed block, with the recorded results and the same inputs', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'session.vars.n = 1; myVault.setOnComplete("kept", "from run " + run.runNumber); return { at: run.runNumber, since: dateLastRun }',
      'if (!myVault.contains("open")) throw new Error("closed"); return { at: run.runNumber, source: Datasource[0], vars: session.vars }',
    ])
    const failed = await runToEnd(service.manager, workflow.id)
    expect(failed.status).toBe('Error')
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/open`, { jsonData: true })
    const answer = await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers.get('x-run-number')).toBe('2')
    const run = await endOf(service.manager, workflow.id, 2)
    expect(run).toMatchObject({ status: 'Ready', runBy: 'Retry', processorType: 'Standard' })
    expect((await blockResult(service.manager, workflow, 2, 2)).body.result).toEqual({
      at: 2,
      source: { at: 1, since: null },
      vars: { n: 1 },
    })
    // The failed run stays as it was.
    expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({ status: 'Error' })
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/kept`)).body).toBe('from run 1')
    // What the reused results know ends at the start of the failed run, so nothing since then may be taken for done.
    expect((await service.manager.get(`/api/Workflow/${workflow.id}`)).body.dateLastRunUTC).toBe(
      failed.startDateTimeUTC,
    )
  })

  it('keeps what is meant for the end, also when a block beside the failed one ended last', async () => {
    const workflow = await deployWorkflow(service.manager, [
      { script: 'myVault.setOnComplete("first", 1); return 1', after: [] },
      { script: 'if (!myVault.contains("open")) throw new Error("closed"); return 2', after: [1] },
      {
        script: 'while (!myVault.contains("go")) await sleep(20); myVault.setOnComplete("beside", 3); return 3',
        after: [1],
      },
    ])
    const number = await startRun(service.manager, workflow.id)
    await eventually(
      async () =>
        (await service.asOwner('select from run_blocks where block_id = $1', [workflow.blocks[1]])).length > 0,
    )
    const set = (key: string) => service.manager.post(`/api/MyVaultSet/${workflow.id}/${key}`, { jsonData: true })
    await set('go')
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Error' })
    await set('open')
    await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=${number}`)
    expect(await endOf(service.manager, workflow.id, number + 1)).toMatchObject({ status: 'Ready' })
    const kept = async (key: string) => (await service.manager.get(`/api/MyVaultGet/${workflow.id}/${key}`)).body
    expect([await kept('first'), await kept('beside')]).toEqual([1, 3])
  })

  it('uses the workflow as it is now, so that a mended script can be tried', async () => {
    const workflow = await deployWorkflow(service.manager, ['return 1', 'return nonsense()'])
    await runToEnd(service.manager, workflow.id)
    await service.manager.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[1], script: 'return Datasource[0] + 1' }],
    })
    await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready' })
    expect((await blockResult(service.manager, workflow, 2)).body.result).toBe(2)
  })

  it('refuses a run that ended well', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await runToEnd(service.manager, id)
    const answer = await service.manager.get(`/api/RetryRun/${id}?runNumber=1`)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toMatch(/succeeded/)
  })
})

describe('fair shares', () => {
  it('an account with a long backlog does not keep another waiting', async () => {
    const noisy = await createAccount(service, service.manager, 'User')
    const quiet = await createAccount(service, service.manager, 'User')
    // None of the backlog ends before the other account's run has, however slow the machine is.
    const backlog = await deployWorkflow(noisy.client, ['while (!myVault.contains("open")) await sleep(300); return 1'])
    const single = await deployWorkflow(quiet.client, ['return 1'])
    await Promise.all(Array.from({ length: 300 }, () => startRun(noisy.client, backlog.id)))
    await runToEnd(quiet.client, single.id)
    const { body } = await noisy.client.post(`/api/GetRunHistory/${backlog.id}`, {
      page: 0,
      size: 1,
      status: 'Pending',
    })
    expect(body.total).toBeGreaterThan(0)
    await noisy.client.post(`/api/MyVaultSet/${backlog.id}/open`, { jsonData: true })
    await eventually(async () => {
      const done = await noisy.client.post(`/api/GetRunHistory/${backlog.id}`, { page: 0, size: 1, status: 'Ready' })
      return done.body.total === 300
    })
  })
})

describe('blocks side by side', () => {
  it('wait for a process however many there are', async () => {
    const sideBySide = (count: number, script: string) => Array.from({ length: count }, () => ({ script, after: [] }))
    // All processes that the account may have are taken until more scripts wait than may: 5,000.
    const holder = await deployWorkflow(
      service.manager,
      sideBySide(100, 'myVault.set("begun", 1); while (!myVault.contains("go")) await sleep(50); return 1'),
    )
    const held = await startRun(service.manager, holder.id)
    await hasBegun(holder)
    const workflow = await deployWorkflow(service.manager, sideBySide(500, 'return 1'))
    const numbers = await Promise.all(Array.from({ length: 12 }, () => startRun(service.manager, workflow.id)))
    for (const number of numbers)
      await eventually(async () => (await findRun(service.manager, workflow.id, number)).status !== 'Pending')
    await letGo(holder)
    expect(await endOf(service.manager, holder.id, held)).toMatchObject({ status: 'Ready' })
    for (const number of numbers)
      expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })
})

describe('workflows and their runs', () => {
  it('keep the revision they ran: the workflow as of a run shows what was then', async () => {
    const workflow = await deployWorkflow(service.manager, ['return "old"'])
    await runToEnd(service.manager, workflow.id)
    await service.manager.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[0], script: 'return "new"' }],
    })
    await runToEnd(service.manager, workflow.id)
    const read = async (number: number) =>
      (await service.manager.get(`/api/Workflow/${workflow.id}?runNumber=${number}`)).body
    const then = await read(1)
    expect(then.run).toMatchObject({ lockVersionNumber: 1, status: 'Ready' })
    expect(then.chain[0]).toMatchObject({
      script: 'return "old"',
      status: 'Ready',
      startDateTimeUTC: expect.any(String),
      endDateTimeUTC: expect.any(String),
    })
    expect((await read(2)).chain[0].script).toBe('return "new"')
    expect((await blockResult(service.manager, workflow, 1, 1)).body.result).toBe('old')
    expect((await blockResult(service.manager, workflow, 1, 2)).body.result).toBe('new')
    expect((await service.manager.get(`/api/Workflow/${workflow.id}?runNumber=3`)).status).toBe(404)
  })

  it('a run under way finishes although its workflow is archived', async () => {
    const workflow = await deployWorkflow(service.manager, [`${untilLet} return 1`, 'return 2'])
    const number = await startRun(service.manager, workflow.id)
    await hasBegun(workflow)
    await service.manager.get(`/api/ArchiveWorkflow/${workflow.id}`)
    await letGo(workflow)
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })

  it('deleting a workflow removes its history, and a run under way leaves nothing behind', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1', 'await sleep(2000); return 2'])
    await startRun(service.manager, id)
    await eventually(
      async () =>
        (
          await service.asOwner('select from run_blocks b join runs r on r.id = b.run_id where r.workflow_id = $1', [
            id,
          ])
        ).length > 0,
    )
    expect((await service.manager.get(`/api/DeleteWorkflow/${id}`)).body).toBe(true)
    expect((await service.manager.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })).status).toBe(404)
    await eventually(async () => (await service.asOwner("select from jobs where queue = 'runs'")).length === 0)
    const left = await service.asOwner(
      'select (select count(*) from runs where workflow_id = $1) as runs, (select count(*) from run_counters where workflow_id = $1) as counters, (select count(*) from run_blocks b where not exists (select from runs r where r.id = b.run_id)) as blocks',
      [id],
    )
    expect(left[0]).toEqual({ runs: 0, counters: 0, blocks: 0 })
  })
})
