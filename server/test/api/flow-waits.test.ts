// Blocks that wait for a time or an event.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import {
  blockResult,
  createWorkflow,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await startService()
  client = (await createAccount(service, service.manager, 'DevPartner')).client
})
afterAll(() => service[Symbol.asyncDispose]())

const send = async (body: object) => (await client.post('/api/SendEvent', body)).body.wokenRuns
const waiting = (id: string, number = 1) =>
  eventually(async () => {
    const run = await findRun(client, id, number)
    return run?.status === 'Waiting' ? run : undefined
  })

/** As if the time had come. */
async function makeDue(workflowId: string): Promise<void> {
  const ofRun = '(select id from runs where workflow_id = $1)'
  await service.asOwner(`update run_waits set due_at = now() where run_id = ${ofRun}`, [workflowId])
  await service.asOwner(`update jobs set due_at = now() where id = ${ofRun}`, [workflowId])
}

describe('a wait for a time', () => {
  it('puts the run aside as Waiting, tells for what, and goes on when it is due', async () => {
    const before = Date.now()
    const wait = { seconds: '60 * 60' }
    const workflow = await deployWorkflow(client, [
      { script: 'session.vars.seen = 1; console.log("before"); return { n: 7 }', flow: { wait } },
      'return { ...Datasource[0], vars: session.vars }',
    ])
    const number = await startRun(client, workflow.id)
    const parked = await waiting(workflow.id, number)
    expect(parked.waitingFor).toMatchObject({ kind: 'time', uniqueBlockId: workflow.blocks[0], itemKey: null })
    expect(Date.parse(parked.waitingFor.untilDateTimeUTC) - before).toBeGreaterThanOrEqual(3_600_000)
    await makeDue(workflow.id)
    const ended = await endOf(client, workflow.id, number)
    expect(ended).toMatchObject({ status: 'Ready', waitingFor: null })
    expect(ended.pauseInMilliSec).toBeGreaterThan(0)
    const nothing = { data: null, by: null, comment: null }
    expect((await blockResult(client, workflow, 2)).body.result).toEqual({
      ...{ outcome: 'time', prepared: { n: 7 }, ...nothing, dateTimeUTC: expect.any(String) },
      vars: { seen: 1 },
    })
  })

  it.each([
    ['a number of seconds', { seconds: 0 }],
    ['a date', { until: 'new Date(0)' }],
    ['an ISO text', { until: '"2020-01-01T00:00:00Z"' }],
    ['milliseconds', { until: 'Date.now() - 5' }],
  ])('in the past, given as %s, passes at once', async (_, wait) => {
    const workflow = await deployWorkflow(client, [{ script: 'return 1', flow: { wait } }])
    expect((await runToEnd(client, workflow.id)).status).toBe('Ready')
    expect((await blockResult(client, workflow, 1)).body.result).toMatchObject({ outcome: 'time', prepared: 1 })
  })

  it.each([
    [{ seconds: '"soon"' }, 'seconds must be a number.'],
    [{ until: '"tomorrow"' }, 'until must be a date.'],
    [{ until: 'Date.now() + 367 * 86400000' }, 'it is more than 366 days ahead.'],
    [{ until: 'nothing.there' }, 'ReferenceError: nothing is not defined'],
  ])('of %j fails the block', async (wait, why) => {
    const workflow = await deployWorkflow(client, [{ blockName: 'Hold', script: 'return 1', flow: { wait } }])
    const run = await runToEnd(client, workflow.id)
    expect(run.status).toBe('Error')
    expect(run.errorMessage).toContain(`The wait of block "Hold" failed: ${why}`)
  })

  it('over 366 days is 400 at save', async () => {
    const chain = [{ script: 'return 1', wait: { seconds: 366 * 86_400 + 1 } }]
    expect((await client.post('/api/Workflow', { name: 'Far', chain })).status).toBe(400)
  })

  it('ends at once when the run is stopped', async () => {
    const workflow = await deployWorkflow(client, [{ script: 'return 1', flow: { wait: { seconds: 3600 } } }])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
    expect((await client.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=1`)).body).toBe(true)
    expect((await findRun(client, workflow.id, 1)).status).toBe('Stopped')
    expect(
      await service.asOwner('select from run_waits w join runs r on r.id = w.run_id where r.workflow_id = $1', [
        workflow.id,
      ]),
    ).toEqual([])
  })

  it('passes at once in a partial run', async () => {
    const workflow = await deployWorkflow(client, [{ script: 'return 1', flow: { wait: { seconds: 3600 } } }])
    expect((await runToEnd(client, workflow.id, { runTillBlock: 1 })).status).toBe('Ready')
    expect((await blockResult(client, workflow, 1)).body.result.outcome).toBe('time')
  })

  it('answers RunAndWait with 202 and Waiting', async () => {
    const workflow = await deployWorkflow(client, [{ script: 'return 1', flow: { wait: { seconds: 3600 } } }])
    const answer = await client.post(`/api/RunAndWait/${workflow.id}`, { waitSeconds: 2 })
    expect(answer).toMatchObject({ status: 202, body: { status: 'Waiting', result: null } })
  })
})

describe('a wait for an event', () => {
  const forEvent = (name: string, more: object = {}) => ({
    script: 'return run.runNumber',
    flow: { wait: { events: [name], ...more } },
  })

  it('ends with the event, which wakes each run once', async () => {
    const workflow = await deployWorkflow(client, [forEvent('paid')])
    for (const _ of [1, 2]) await startRun(client, workflow.id)
    expect((await waiting(workflow.id, 1)).waitingFor.kind).toBe('event')
    await waiting(workflow.id, 2)
    expect(await send({ name: 'paid', data: { amount: 5 } })).toBe(2)
    for (const number of [1, 2]) {
      expect((await endOf(client, workflow.id, number)).status).toBe('Ready')
      const { result } = (await blockResult(client, workflow, 1, number)).body
      expect(result).toMatchObject({ outcome: 'event', prepared: number, data: { amount: 5 } })
    }
    expect(await send({ name: 'paid' })).toBe(0)
  })

  it('is only for events with an equal key, and one without key only for those without', async () => {
    const workflow = await deployWorkflow(client, [forEvent('keyed', { key: 'run.input' })])
    const plain = await deployWorkflow(client, [forEvent('keyed')])
    await startRun(client, workflow.id, { input: 1007 })
    await startRun(client, workflow.id, { input: 'other' })
    await startRun(client, plain.id)
    await Promise.all([waiting(workflow.id, 1), waiting(workflow.id, 2), waiting(plain.id)])
    expect(await send({ name: 'keyed', key: '1007' })).toBe(1)
    await endOf(client, workflow.id, 1)
    expect(await send({ name: 'keyed' })).toBe(1)
    await endOf(client, plain.id, 1)
    expect((await findRun(client, workflow.id, 2)).status).toBe('Waiting')
    expect(await send({ name: 'keyed', key: 'other' })).toBe(1)
    await endOf(client, workflow.id, 2)
  })

  it('that was sent before the wait began counts, once for each run', async () => {
    const name = 'early'
    expect(await send({ name, data: 1 })).toBe(0)
    const workflow = await deployWorkflow(client, [forEvent(name), forEvent(name)])
    await startRun(client, workflow.id)
    const parked = await waiting(workflow.id)
    expect(parked.waitingFor.uniqueBlockId).toBe(workflow.blocks[1])
    expect((await blockResult(client, workflow, 1)).body.result).toMatchObject({ outcome: 'event', data: 1 })
    await send({ name, data: 2 })
    await endOf(client, workflow.id, 1)
    expect((await blockResult(client, workflow, 2)).body.result.data).toBe(2)
  })

  it('that is older than an hour before the run does not count for it', async () => {
    const name = 'old'
    await send({ name })
    await service.asOwner("update sent_events set created_at = created_at - interval '61 minutes' where name = $1", [
      name,
    ])
    const workflow = await deployWorkflow(client, [forEvent(name)])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
  })

  it('is gone after 7 days', async () => {
    const name = 'ancient'
    await send({ name })
    await service.asOwner("update sent_events set created_at = created_at - interval '8 days' where name = $1", [name])
    // The sweep runs when a process starts.
    const another = await service.startAnother({}, 'worker')
    await eventually(
      async () => (await service.asOwner('select from sent_events where name = $1', [name])).length === 0,
    )
    await another[Symbol.asyncDispose]()
  })

  it('with the same eventId counts once', async () => {
    const workflow = await deployWorkflow(client, [forEvent('twice'), forEvent('twice')])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
    expect(await send({ name: 'twice', eventId: 'e1' })).toBe(1)
    expect(await send({ name: 'twice', eventId: 'e1' })).toBe(1)
    const parked = await eventually(async () => {
      const run = await findRun(client, workflow.id, 1)
      return run.waitingFor?.uniqueBlockId === workflow.blocks[1] ? run : undefined
    })
    expect(parked.status).toBe('Waiting')
  })

  it('can be sent by a script of the same account', async () => {
    const workflow = await deployWorkflow(client, [forEvent('scripted', { key: '"k"' })])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
    const sender = await deployWorkflow(client, ['return events.send("scripted", "k", { from: run.runNumber })'])
    await runToEnd(client, sender.id)
    expect((await blockResult(client, sender, 1)).body.result).toEqual({ wokenRuns: 1 })
    await endOf(client, workflow.id, 1)
    expect((await blockResult(client, workflow, 1)).body.result.data).toEqual({ from: 1 })
  })

  it('of another account does not count', async () => {
    const workflow = await deployWorkflow(client, [forEvent('foreign')])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
    const other = await createAccount(service, service.manager, 'DevPartner')
    expect((await other.client.post('/api/SendEvent', { name: 'foreign' })).body).toEqual({ wokenRuns: 0 })
  })

  it.each([
    ['fails', {}, 'Error'],
    ['goes on', { onTimeout: 'continue' }, 'Ready'],
  ])('that does not come in time %s', async (_, more, status) => {
    const workflow = await deployWorkflow(client, [forEvent('never', { timeoutHours: 1, ...more })])
    await startRun(client, workflow.id)
    await waiting(workflow.id)
    await makeDue(workflow.id)
    const run = await endOf(client, workflow.id, 1)
    expect(run.status).toBe(status)
    if (status === 'Error') expect(run.errorMessage).toContain('The wait timed out.')
    else expect((await blockResult(client, workflow, 1)).body.result.outcome).toBe('timedOut')
  })

  it('over 1 MiB is 400', async () => {
    const refused = await client.post('/api/SendEvent', { name: 'large', data: 'x'.repeat(1_048_575) })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toBe('The field data must be at most 1 MiB of JSON.')
  })
})

it('a wait survives the end of every worker', async () => {
  const own = await startService()
  const workflow = await deployWorkflow(own.manager, [{ script: 'return 1', flow: { wait: { events: ['after'] } } }])
  const worker = await own.startAnother({}, 'worker')
  await startRun(own.manager, workflow.id)
  await eventually(async () => (await findRun(own.manager, workflow.id, 1)).status === 'Waiting')
  await worker[Symbol.asyncDispose]()
  await own.manager.post('/api/SendEvent', { name: 'after' })
  expect((await endOf(own.manager, workflow.id, 1)).status).toBe('Ready')
  await own[Symbol.asyncDispose]()
})

it('blocks that wait for nothing are refused', async () => {
  await expect(createWorkflow(client, [{ script: 'return 1', flow: { wait: {} } }])).rejects.toThrow()
})
