import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { newId } from '../../src/lib/id.ts'
import { WebhookRetention } from '../../src/webhooks/history/retention.ts'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { holdLock } from '../harness/held-lock.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import { startService, type TestService } from '../harness/service.ts'
import { operateQueues, remember } from '../harness/webhook-queue.ts'
import { enableWebhook, hasStatus, historyOf, leftQueue, queueOf } from '../harness/webhooks.ts'
import { deployWorkflow, startRun } from '../harness/workflows.ts'

describe('operating the queue of a webhook', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const { prepare, seenBy, hold, release, emptied, makeDue } = operateQueues(() => service)

  const dateBefore = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

  /** Partitions as they were made on a day; returns how their names end. */
  const makeDay = async (daysAgo: number) => {
    const date = dateBefore(daysAgo)
    const name = date.replaceAll('-', '')
    for (const parent of ['webhook_requests', 'webhook_history'])
      await service.asOwner(
        `create table ${parent}_${name} partition of ${parent} for values from (first_webhook_id('${date}')) to (first_webhook_id('${date}'::date + 1))`,
      )
    return name
  }

  /** A request that came at noon of a day. */
  const insertOld = async (workflowId: string, daysAgo: number) => {
    const at = `${dateBefore(daysAgo)}T12:00:00Z`
    const id = newId(Date.parse(at))
    const values = [id, service.firstAccount.accountId, workflowId, at]
    await service.asOwner(`insert into webhook_requests values ($1, $2, $3, $4, '\\x00')`, values)
    return id
  }

  const isWaitingAt = (statement: string) =>
    eventually(async () => {
      const rows = await service.asOwner(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [`%${statement}%`],
      )
      return rows.length > 0
    })

  it('can be held and released, request by request skipped and retried', async () => {
    const { workflow, webhook } = await prepare(remember, { strictOrderProcessing: true })
    expect((await hold(workflow.id)).body).toMatch(/held/)
    expect((await service.manager.get(`/api/WebhookSettings/${workflow.id}`)).body.isHeld).toBe(true)
    const ids: string[] = []
    for (let n = 1; n <= 3; n++) ids.push((await webhook.send({ n })).body.webhookId)
    expect((await service.manager.post(`/api/WebhookRetry/${ids[0]}`)).body).toBe(false)
    expect((await service.manager.post(`/api/WebhookSkip/${ids[0]}`)).body).toBe(true)
    expect((await service.manager.post(`/api/WebhookSkip/${ids[0]}`)).body).toBe(false)
    expect((await service.manager.post(`/api/WebhookSkip/${randomUUID()}`)).status).toBe(404)
    expect((await queueOf(service.manager, workflow.id)).items.map((item: { no: number }) => item.no)).toEqual([1, 2])
    expect((await release(workflow.id)).body).toMatch(/released/)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([2, 3])
    expect(await leftQueue(service.manager, workflow.id, ids[0] as string)).toMatchObject({
      status: 'Skipped',
      runNumber: null,
    })
    const { id: unconfigured } = await deployWorkflow(service.manager, ['return 1'])
    expect((await hold(unconfigured)).status).toBe(400)
    expect((await hold(randomUUID())).status).toBe(404)
    const user = await createAccount(service, service.manager, 'User')
    for (const path of [`WebhookSkip/${ids[1]}`, `WebhookRetry/${ids[1]}`, `WebhookQueueHold/${workflow.id}`])
      expect((await user.client.post(`/api/${path}`)).status).toBe(404)
  })

  it('can be given past requests again, by time and status, with progress', async () => {
    const { workflow, webhook } = await prepare(
      `if (webhook.body.n % 2 === 0 && !(await myVault.contains('mended'))) throw new Error('even'); ${remember}`,
      { skipProcessingAfterErrors: 1, strictOrderProcessing: true },
    )
    for (let n = 1; n <= 6; n++) await webhook.send({ n })
    await emptied(workflow.id)
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`)
    expect(await seenBy(workflow)).toEqual([1, 3, 5])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    const replay = await service.manager.post(`/api/WebhookReplay/${workflow.id}`, {})
    expect(replay.body, replay.text).toMatchObject({ workflowId: workflow.id, total: 3 })
    const done = await eventually(async () => {
      const answer = await service.manager.get(`/api/GetWebhookReplay/${replay.body.id}`)
      return answer.body.isComplete ? answer.body : undefined
    })
    expect(done).toMatchObject({ total: 3, queued: 3, waiting: 0, isComplete: true })
    expect(await seenBy(workflow)).toEqual([1, 3, 5, 2, 4, 6])
    const history = await historyOf(service.manager, workflow.id)
    expect([history.length, new Set(history.items.map((item: { status: string }) => item.status))]).toEqual([
      6,
      new Set(['Done']),
    ])
    const third = history.items.at(-3).createDateTimeUTC
    await service.asOwner(
      `update webhook_history set created_at = date_trunc('milliseconds', created_at) where workflow_id = $1`,
      [workflow.id],
    )
    const partly = await service.manager.post(`/api/WebhookReplay/${workflow.id}`, {
      searchTo: third,
      status: ['done'],
    })
    expect(partly.body.total).toBe(2)
    await eventually(async () => (await service.manager.get(`/api/GetWebhookReplay/${partly.body.id}`)).body.isComplete)
    expect(await seenBy(workflow)).toEqual([1, 3, 5, 2, 4, 6, 1, 2])
    expect((await service.manager.get(`/api/GetWebhookReplay/${randomUUID()}`)).status).toBe(404)
    expect((await service.manager.post(`/api/WebhookReplay/${workflow.id}`, { status: ['Pending'] })).status).toBe(400)
  })

  it('takes what waits along when the settings ask for another order', async () => {
    const { workflow, webhook } = await prepare(remember)
    await hold(workflow.id)
    for (let n = 1; n <= 6; n++) await webhook.send({ n, order: n % 2 })
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { orderKey: 'order' })
    const lanes = async () =>
      (
        await service.asOwner('select lane, is_ready from webhook_queue where workflow_id = $1 order by seq', [
          workflow.id,
        ])
      ).map((row) => [row['lane'], row['is_ready']])
    expect(await lanes()).toEqual([
      ['=1', true],
      ['=0', true],
      ['=1', false],
      ['=0', false],
      ['=1', false],
      ['=0', false],
    ])
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, {
      orderKey: '',
      strictOrderProcessing: true,
    })
    expect(await lanes()).toEqual([['', true], ...Array.from({ length: 5 }, () => ['', false])])
    await webhook.send({ n: 7 })
    await release(workflow.id)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3, 4, 5, 6, 7])
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { strictOrderProcessing: false })
    await webhook.send({ n: 8 })
    await emptied(workflow.id)
  })

  it('is worked off after the webhook was disabled and cleaned', async () => {
    const { workflow, webhook } = await prepare(remember, { strictOrderProcessing: true })
    await hold(workflow.id)
    for (let n = 1; n <= 3; n++) await webhook.send({ n })
    await service.manager.post(`/api/WebhookSettingsDisable/${workflow.id}?disableWithCleanSettings=true`)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3])
  })

  it('waits while automatic runs are paused, and goes on in order when the webhook is enabled again', async () => {
    const { workflow, webhook } = await prepare(
      `if (!(await myVault.contains('mended'))) throw new Error('broken'); return 1`,
      { skipProcessingAfterErrors: 0 },
    )
    for (let n = 1; n <= 10; n++) await webhook.send({ n })
    await eventually(async () => (await queueOf(service.manager, workflow.id)).workflowSettings.isAutoRunPaused)
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    await makeDue(workflow.id)
    await webhook.send({ n: 11 })
    expect((await queueOf(service.manager, workflow.id)).items.at(-1).status).toBe('Pending')
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`)
    await emptied(workflow.id)
    expect((await queueOf(service.manager, workflow.id)).workflowSettings.isAutoRunPaused).toBe(false)
    const { items } = await historyOf(service.manager, workflow.id)
    expect(items.map((item: { status: string }) => item.status)).toEqual(Array.from({ length: 11 }, () => 'Done'))
  })

  it('starts what an api process took through a worker process', async () => {
    await using both = await startService({ role: 'api' })
    await using _worker = await both.startAnother({}, 'worker')
    const workflow = await deployWorkflow(both.manager, ['return webhook.body'])
    const webhook = await enableWebhook(both.manager, workflow.id)
    const { webhookId } = (await webhook.send({ n: 1 })).body
    expect(await leftQueue(both.manager, workflow.id, webhookId)).toMatchObject({ status: 'Done' })
    expect(await startRun(both.manager, workflow.id)).toBe(2)
  })

  it('waits while an application is faulted, counts no error for it, and drains in order after reconnection', async () => {
    await using target = await startHttpTarget(() => ({ status: 401, json: { error: 'expired' } }))
    const user = await createAccount(service, service.manager, 'User')
    const register = (token: string) => ({
      credentialsJson: JSON.stringify({ baseUrl: target.origin, authType: 'bearer', token }),
    })
    const registered = await user.client.post('/api/RegApplication', {
      applicationId: 'e31040e1-1997-54d0-bfa6-43f910dc7be6',
      ...register('old token'),
    })
    expect(registered.status, registered.text).toBe(200)
    const workflow = await deployWorkflow(
      user.client,
      ["await api.post('HTTP/orders', { n: webhook.body.n }); return webhook.body.n"],
      { applications: { HTTP: registered.body } },
    )
    // A single error would be enough to skip a request.
    const webhook = await enableWebhook(user.client, workflow.id, {
      strictOrderProcessing: true,
      skipProcessingAfterErrors: 1,
    })
    const first = (await webhook.send({ n: 1 })).body.webhookId
    await hasStatus(user.client, workflow.id, first, 'Failed')
    for (let n = 2; n <= 5; n++) await webhook.send({ n })
    const waiting = await queueOf(user.client, workflow.id)
    expect(waiting.workflowSettings.isAutoRunPaused).toBe(true)
    expect(waiting.items.map((item: { errorCounter: number }) => item.errorCounter)).toEqual([0, 0, 0, 0, 0])
    expect((await user.client.post(`/api/WebhookSettingsEnable/${workflow.id}`, {})).status).toBe(200)
    expect((await queueOf(user.client, workflow.id)).workflowSettings.isAutoRunPaused).toBe(true)
    target.received.length = 0
    target.answer = () => ({ json: { ok: true } })
    // The user gives a new token, and somebody tries it.
    await user.client.post(`/api/RegApplication/${registered.body}`, register('new token'))
    await user.client.get('/api/ApiGet?url=HTTP/ping')
    await eventually(async () => (await queueOf(user.client, workflow.id)).length === 0)
    const sent = target.received.filter(({ url }) => url === '/orders').map(({ body }) => JSON.parse(body.toString()).n)
    expect(sent).toEqual([1, 2, 3, 4, 5])
    const { items } = await historyOf(user.client, workflow.id)
    expect(new Set(items.map((item: { status: string }) => item.status))).toEqual(new Set(['Done']))
  })

  it('keeps what waits when its workflow is archived, runs none of it, and would go on in order', async () => {
    const { workflow, webhook } = await prepare('return webhook.body.n', { strictOrderProcessing: true })
    await service.manager.post(`/api/WebhookQueueHold/${workflow.id}`)
    for (let n = 1; n <= 3; n++) await webhook.send({ n })
    expect((await service.manager.get(`/api/ArchiveWorkflow/${workflow.id}`)).body).toBe(true)
    await service.manager.post(`/api/WebhookQueueRelease/${workflow.id}`)
    expect((await webhook.send({ n: 4 })).status).toBe(404)
    // Another workflow whose request was done meanwhile shows that the queue was looked at.
    const witness = await prepare('return 1')
    await leftQueue(service.manager, witness.workflow.id, (await witness.webhook.send({})).body.webhookId)
    const { items } = await queueOf(service.manager, workflow.id)
    expect(items.map((item: { status: string }) => item.status)).toEqual(['Pending', 'Pending', 'Pending'])
    expect((await service.manager.get(`/api/GetWebhook/${items[0].webhookId}`)).body.webhookValue).toEqual({ n: 1 })
    expect(await service.asOwner('select from runs where workflow_id = $1', [workflow.id])).toEqual([])
    // There is no way back from the archive; the queue would not mind one.
    await service.asOwner(`update workflows set state = 'deployed' where id = $1`, [workflow.id])
    await eventually(async () => (await queueOf(service.manager, workflow.id)).length === 0)
    const runs = await service.asOwner(
      'select b.result from runs r join run_blocks b on b.run_id = r.id where r.workflow_id = $1 order by r.run_number',
      [workflow.id],
    )
    expect(runs.map((row) => Number(row['result']))).toEqual([1, 2, 3])
  })

  it('forgets whole days after their time, but none of which a request still waits, unless its workflow is archived', async () => {
    const { workflow, webhook } = await prepare('return 1')
    const recent = (await webhook.send({})).body.webhookId
    await leftQueue(service.manager, workflow.id, recent)
    const tables = async () =>
      (
        await service.asOwner(
          `select relname from pg_class where relname ~ '^webhook_(requests|history)_\\d{8}$' order by 1`,
        )
      ).map((row) => String(row['relname']))
    const before = await tables()
    const make = async (daysAgo: number) => ({
      name: await makeDay(daysAgo),
      id: await insertOld(workflow.id, daysAgo),
    })
    const [young, old, waiting, archived] = [await make(29), await make(40), await make(50), await make(60)]
    const enqueue = (id: string, workflowId: string) =>
      service.asOwner(
        `insert into webhook_queue (webhook_id, account_id, workflow_id, is_ready, due_at, created_at, modified_at)
         values ($1, $2, $3, false, now(), now(), now())`,
        [id, service.firstAccount.accountId, workflowId],
      )
    await enqueue(waiting.id, workflow.id)
    const other = await prepare('return 1')
    await enqueue(archived.id, other.workflow.id)
    await service.manager.get(`/api/ArchiveWorkflow/${other.workflow.id}`)
    expect((await queueOf(service.manager, other.workflow.id)).length).toBe(1)
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    await using retention = new WebhookRetention(database, 30, () => {})
    await retention.sweep()
    const kept = (await tables()).filter((name) => !before.includes(name))
    expect(kept).toEqual(
      [young, waiting].flatMap(({ name }) => [`webhook_requests_${name}`, `webhook_history_${name}`]).toSorted(),
    )
    expect(await service.asOwner('select from webhook_requests where id = any($1)', [[old.id, archived.id]])).toEqual(
      [],
    )
    expect((await queueOf(service.manager, other.workflow.id)).length).toBe(0)
    expect((await historyOf(service.manager, workflow.id)).items[0].webhookId).toBe(recent)
  })

  it.each([
    ['a day', 70, makeDay, 'drop_webhook_day'],
    ['a day that nobody made partitions for', 80, async () => {}, 'delete from webhook_history_default'],
  ])('forgets nothing of %s of which a replay is putting a request back', async (_of, daysAgo, make, sweeping) => {
    const { workflow } = await prepare('return 1')
    await hold(workflow.id)
    await make(daysAgo)
    const id = await insertOld(workflow.id, daysAgo)
    const values = [id, service.firstAccount.accountId, workflow.id]
    await service.asOwner(
      `insert into webhook_history (webhook_id, account_id, workflow_id, created_at, left_at, due_at, status, error_counter)
       select id, account_id, workflow_id, created_at, created_at, created_at, 'Skipped', 0 from webhook_requests where id = $1`,
      [id],
    )
    // Whoever puts the same request into the queue waits for what becomes of this one.
    await using place = await holdLock(
      service.databaseUrl,
      `insert into webhook_queue (webhook_id, account_id, workflow_id, is_ready, due_at, created_at, modified_at)
       values ($1, $2, $3, false, now(), now(), now())`,
      values,
    )
    const replay = await service.manager.post(`/api/WebhookReplay/${workflow.id}`, {})
    expect(replay.body).toMatchObject({ total: 1 })
    await isWaitingAt('update webhook_replays')
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    await using retention = new WebhookRetention(database, 30, () => {})
    const swept = retention.sweep()
    await isWaitingAt(sweeping)
    await place.release()
    await swept
    expect((await queueOf(service.manager, workflow.id)).items).toMatchObject([{ webhookId: id }])
    expect(await service.asOwner('select id from webhook_requests where id = $1', [id])).toEqual([{ id }])
  })
})
