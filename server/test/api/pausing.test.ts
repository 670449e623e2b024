// Workflows that fail again and again are paused, try by themselves, and go on when they work again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { behindLock } from '../harness/held-lock.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, queueOf } from '../harness/webhooks.ts'
import { deployWorkflow, endOf } from '../harness/workflows.ts'

let service: TestService
let listener: HttpTarget
let user: Client
let accountId: string
beforeAll(async () => {
  service = await startService()
  listener = await startHttpTarget()
  const made = await createAccount(service, service.manager, 'User')
  user = made.client
  accountId = made.id
  await user.post('/api/EventSubscriptions', { url: listener.origin })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await listener[Symbol.asyncDispose]()
})

const flaky = 'if (!(await myVault.contains("works"))) throw new Error("it is broken"); return 1'
const mend = (id: string) => user.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
const read = async (id: string) => (await user.get(`/api/Workflow/${id}`)).body
const runsOf = async (id: string) =>
  (await user.post(`/api/GetRunHistory/${id}`, { page: 0, size: 100, orderByAsc: true })).body.items
const minutesUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000)
const told = (id: string) =>
  listener.received
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ data }) => data.workflowId === id)
    .map(({ type }) => type)
const mailsAbout = async (name: string) =>
  (
    await service.asOwner('select subject from mails where account_id = $1 and subject like $2 order by id', [
      accountId,
      `%"${name}"%`,
    ])
  ).map(({ subject }) => subject)
/** As if the time of the next try had come. */
const letTry = (id: string) =>
  service.asOwner('update workflows set next_try_at = now() where id = $1 and next_try_at is not null', [id])
/** As if nine runs had failed before. */
const nearlyPaused = (id: string) => service.asOwner('update workflows set auto_failures = 9 where id = $1', [id])

/** A schedule whose tick was two minutes ago, and is due now. */
async function scheduleWithDueTick(id: string): Promise<void> {
  const tick = new Date(Date.now() - 120_000)
  const scheduleFrequency = `${tick.getUTCMinutes()} ${tick.getUTCHours()} * * *`
  const body = { workflowId: id, isScheduled: true, scheduleFrequency }
  expect((await user.post('/api/WorkflowScheduler', body)).status).toBe(200)
  await makeDue(id)
}
/** As if the tick had never been handled. It may be many minutes old by now, on a busy machine. */
const makeDue = (id: string) =>
  service.asOwner(
    "update workflows set next_run_at = now() - interval '1 hour', schedule_last_tick = null where id = $1",
    [id],
  )
const isHandled = (id: string) =>
  eventually(
    async () =>
      (await service.asOwner('select from workflows where id = $1 and next_run_at > now()', [id])).length === 1,
  )

describe('a workflow that failed ten times in a row', () => {
  it('tries after 5, 10, 20, 40 and then every 60 minutes, and a success resumes it', async () => {
    const { id } = await deployWorkflow(user, [flaky], { name: 'Ticking' })
    await nearlyPaused(id)
    await scheduleWithDueTick(id)
    // Enabling forgets failures, so they are there again only afterwards.
    await nearlyPaused(id)
    expect(await endOf(user, id, 1)).toMatchObject({ status: 'Error', runBy: 'Scheduler' })
    const paused = await eventually(async () => {
      const workflow = await read(id)
      return workflow.isAutoRunPaused ? workflow : undefined
    })
    expect(minutesUntil(paused.nextRunDateTimeUTC)).toBe(5)
    for (const [index, minutes] of [10, 20, 40, 60, 60].entries()) {
      await letTry(id)
      expect(await endOf(user, id, index + 2)).toMatchObject({ status: 'Error', runBy: 'Scheduler' })
      const after = await read(id)
      expect(after.isAutoRunPaused).toBe(true)
      expect(minutesUntil(after.nextRunDateTimeUTC)).toBe(minutes)
    }
    await mend(id)
    await letTry(id)
    expect(await endOf(user, id, 7)).toMatchObject({ status: 'Ready', runBy: 'Scheduler' })
    const resumed = await read(id)
    expect(resumed.isAutoRunPaused).toBe(false)
    expect(minutesUntil(resumed.nextRunDateTimeUTC)).toBeGreaterThan(60)
    await eventually(() => told(id).includes('workflow.resumed') && told(id).includes('run.recovered'))
    expect(told(id).toSorted()).toEqual([
      ...Array(6).fill('run.failed'),
      'run.recovered',
      'workflow.paused',
      'workflow.resumed',
    ])
    await eventually(async () => (await mailsAbout('Ticking')).length === 3)
    // Two of them may be written in the same millisecond.
    expect((await mailsAbout('Ticking')).toSorted()).toEqual([
      'Workflow "Ticking" failed',
      'Workflow "Ticking" is paused',
      'Workflow "Ticking" is running again',
    ])
    const paper = listener.received
      .map(({ body }) => JSON.parse(body.toString()))
      .find(({ type, data }) => type === 'workflow.paused' && data.workflowId === id)
    expect(paper.data).toMatchObject({
      accountId,
      workflowName: 'Ticking',
      runNumber: 1,
      errorMessage: expect.stringContaining('it is broken'),
    })
  })

  it.each(['', 'return false'])(
    'tries the head of its queue, and only that (skip script: "%s")',
    async (skipScript) => {
      const { id } = await deployWorkflow(user, [flaky])
      const webhook = await enableWebhook(user, id, { skipScript })
      await nearlyPaused(id)
      await webhook.send({ n: 1 })
      await endOf(user, id, 1)
      for (let n = 2; n <= 4; n++) expect((await webhook.send({ n })).status).toBe(200)
      expect(await read(id)).toMatchObject({ isAutoRunPaused: true, isScheduled: false })
      expect(minutesUntil((await read(id)).nextRunDateTimeUTC)).toBe(5)
      await letTry(id)
      await endOf(user, id, 2)
      expect(minutesUntil((await read(id)).nextRunDateTimeUTC)).toBe(10)
      expect((await queueOf(user, id)).length).toBe(4)
      expect(await runsOf(id)).toHaveLength(2)
      await mend(id)
      await letTry(id)
      await eventually(async () => !(await read(id)).isAutoRunPaused)
      await service.asOwner('update webhook_queue set due_at = now() where workflow_id = $1', [id])
      await eventually(async () => (await queueOf(user, id)).length === 0)
    },
  )

  it('because its target was away does its work when that is back, and loses none', async () => {
    await using target = await startHttpTarget(() => ({ status: 503 }))
    const all = (await user.get('/api/Applications')).body as { id: string; shortName: string }[]
    const { body: connection } = await user.post('/api/RegApplication', {
      applicationId: all.find(({ shortName }) => shortName === 'HTTP')?.id,
      credentialsJson: JSON.stringify({ baseUrl: target.origin, authType: 'bearer', token: 'a-token' }),
    })
    const script = "return api.post('HTTP/orders', webhook.body)"
    const { id } = await deployWorkflow(user, [script], { name: 'Away', applications: { HTTP: connection } })
    const webhook = await enableWebhook(user, id)
    for (let n = 1; n <= 12; n++) expect((await webhook.send({ n })).status).toBe(200)
    await eventually(async () => (await read(id)).isAutoRunPaused)
    const { regApplications } = (await user.post('/api/RegApplications', { appIds: [] })).body
    expect(regApplications.find((one: { id: string }) => one.id === connection)).toMatchObject({ isFaulted: false })

    target.answer = () => ({ json: 'taken' })
    await letTry(id)
    await eventually(async () => !(await read(id)).isAutoRunPaused)
    await service.asOwner('update webhook_queue set due_at = now() where workflow_id = $1', [id])
    await eventually(async () => (await queueOf(user, id)).length === 0)
    const ended = await runsOf(id)
    expect(ended.filter(({ status }: { status: string }) => status === 'Ready')).toHaveLength(12)
    await eventually(async () => (await mailsAbout('Away')).length === 3)
    expect((await mailsAbout('Away')).toSorted()).toEqual([
      'Workflow "Away" failed',
      'Workflow "Away" is paused',
      'Workflow "Away" is running again',
    ])
  })

  it('makes up for the latest tick that it missed when somebody resumes it', async () => {
    const { id } = await deployWorkflow(user, [flaky])
    await scheduleWithDueTick(id)
    await nearlyPaused(id)
    await endOf(user, id, 1)
    await eventually(async () => (await read(id)).isAutoRunPaused)
    for (let tick = 0; tick < 2; tick++) {
      await makeDue(id)
      await isHandled(id)
    }
    expect(await runsOf(id)).toHaveLength(1)
    await mend(id)
    expect((await user.get(`/api/ResumeWorkflow/${id}`)).body).toBe(true)
    expect(await endOf(user, id, 2)).toMatchObject({ status: 'Ready', runBy: 'Scheduler' })
    expect(await service.asOwner('select from workflows where id = $1 and missed_tick is not null', [id])).toEqual([])
    expect(await runsOf(id)).toHaveLength(2)
  })

  it('is not tried while a connection that it needs is faulted', async () => {
    const { id, connection } = await withConnection(flaky)
    await nearlyPaused(id)
    const webhook = await enableWebhook(user, id)
    await nearlyPaused(id)
    await webhook.send({})
    await endOf(user, id, 1)
    await setFault(connection, 'broken')
    await letTry(id)
    // Another workflow that tries at the same time shows that the queue was looked at.
    const witness = await deployWorkflow(user, [flaky])
    const other = await enableWebhook(user, witness.id)
    await nearlyPaused(witness.id)
    await other.send({})
    await endOf(user, witness.id, 1)
    await letTry(witness.id)
    await endOf(user, witness.id, 2)
    expect(await runsOf(id)).toHaveLength(1)
    await setFault(connection, null)
    expect((await read(id)).isAutoRunPaused).toBe(true)
    await endOf(user, id, 2)
  })
})

describe('GET /api/ResumeWorkflow', () => {
  it('resumes at once and says whether the workflow was paused', async () => {
    const { id } = await deployWorkflow(user, [flaky])
    const webhook = await enableWebhook(user, id)
    const resume = () => user.get(`/api/ResumeWorkflow/${id}`)
    expect((await resume()).body).toBe(false)
    await nearlyPaused(id)
    await webhook.send({})
    await eventually(async () => (await read(id)).isAutoRunPaused)
    expect((await resume()).body).toBe(true)
    expect(await read(id)).toMatchObject({ isAutoRunPaused: false, nextRunDateTimeUTC: null })
    expect((await resume()).body).toBe(false)
    await eventually(() => told(id).includes('workflow.resumed'))
    const actions = await service.asOwner('select action from audit_log where target = $1 order by id', [id])
    expect(actions.filter(({ action }) => action === 'workflow.resumed')).toHaveLength(1)
  })

  it('is 404 for what is not the caller’s, and 405 for HEAD', async () => {
    const { id } = await deployWorkflow(service.manager, [flaky])
    expect((await user.get(`/api/ResumeWorkflow/${id}`)).status).toBe(404)
    expect((await user.get('/api/ResumeWorkflow/00000000-0000-4000-8000-000000000000')).status).toBe(404)
    const { consumer, secretKey } = service.firstAccount
    const head = await fetch(`${service.baseUrl}/api/ResumeWorkflow/${id}`, {
      method: 'HEAD',
      headers: { consumer, secretKey },
    })
    expect(head.status).toBe(405)
  })
})

describe('while a connection is faulted', () => {
  it('enabling says what still holds the workflow', async () => {
    const { id, connection } = await withConnection('return 1')
    const first = await enableWebhook(user, id)
    expect(first.secret).toMatch(/^whsec_/)
    const again = () => user.post(`/api/WebhookSettingsEnable/${id}`, {})
    expect((await again()).body).toEqual({ url: first.url })
    await setFault(connection, 'broken')
    expect((await again()).body).toEqual({ url: first.url, message: expect.stringContaining('stay paused') })
    const schedule = { workflowId: id, isScheduled: true, scheduleFrequency: 'daily' }
    expect((await user.post('/api/WorkflowScheduler', schedule)).body).toContain('stay paused')
    expect((await user.get(`/api/ResumeWorkflow/${id}`)).body).toBe(true)
    expect((await read(id)).isAutoRunPaused).toBe(true)
    await setFault(connection, null)
    expect((await user.post('/api/WorkflowScheduler', schedule)).body).toContain('it runs next at')
  })

  it('resuming in the moment of its recovery does not pause the workflow again', async () => {
    const { id, connection } = await withConnection('return 1')
    await setFault(connection, 'broken')
    // The recovery is not final yet when the workflow is to be resumed.
    const recovery = {
      statement: 'update registered_applications set fault_message = null where id = $1',
      values: [connection],
    }
    await behindLock(service, recovery, [() => user.get(`/api/ResumeWorkflow/${id}`)])
    expect((await read(id)).isAutoRunPaused).toBe(false)
  })

  it('missed ticks are made up for by one run at recovery', async () => {
    const { id, connection } = await withConnection('return 1')
    await setFault(connection, 'broken')
    await scheduleWithDueTick(id)
    await isHandled(id)
    await makeDue(id)
    await isHandled(id)
    expect(await runsOf(id)).toEqual([])
    // However long it takes.
    await service.asOwner("update workflows set missed_tick = missed_tick - interval '3 days' where id = $1", [id])
    await setFault(connection, null)
    expect(await endOf(user, id, 1)).toMatchObject({ status: 'Ready', runBy: 'Scheduler' })
    await eventually(
      async () => (await service.asOwner('select from workflows where missed_tick is not null')).length === 0,
    )
    expect(await runsOf(id)).toHaveLength(1)
  })
})

async function withConnection(script: string): Promise<{ id: string; connection: string }> {
  const all = (await user.get('/api/Applications')).body as { id: string; shortName: string }[]
  const applicationId = all.find(({ shortName }) => shortName === 'TEST')?.id
  const made = await user.post('/api/RegApplication', { applicationId, credentialsJson: '{}' })
  expect(made.status, made.text).toBe(200)
  const { id } = await deployWorkflow(user, [script], { applications: { TEST: made.body } })
  return { id, connection: made.body }
}

const setFault = (id: string, message: string | null) =>
  service.asOwner('update registered_applications set fault_message = $2 where id = $1', [id, message])
