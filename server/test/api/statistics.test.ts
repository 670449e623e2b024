import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageMeter } from '../../src/activity/index.ts'
import { Database } from '../../src/db/index.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { hello, shareFiles } from '../harness/upload.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow, runToEnd, startRun } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const today = () => {
  const from = new Date(Date.now() - 3_600_000)
  return { searchFrom: from.toISOString(), searchTo: new Date(from.getTime() + 2 * 3_600_000).toISOString() }
}
const statistics = (client: Client, more: object = {}) =>
  client.post('/api/RunStatistics', { ...today(), bucket: 'hour', ...more })
const usage = (client: Client, more: object = {}) => client.post('/api/Usage', { ...today(), bucket: 'day', ...more })
const usageSum = async (client: Client) => {
  const { items } = (await usage(client)).body
  const sum = (name: string) =>
    items.reduce((total: number, item: Record<string, number>) => total + (item[name] ?? 0), 0)
  return Object.fromEntries(['runs', 'blocks', 'calls', 'webhooks', 'mails'].map((name) => [name, sum(name)]))
}

async function createPartner() {
  const partner = await createAccount(service, service.manager, 'DevPartner')
  await service.asOwner(`update accounts set permissions = '{canActivateAccounts}' where id = $1`, [partner.id])
  // What is known of an account is remembered for half a second.
  const customer = await eventually(() => createAccount(service, partner.client, 'User').catch(() => undefined))
  return { partner, customer }
}

/** Until everything was moved to the sums that are kept. */
const rolledUp = () =>
  eventually(async () => (await service.asOwner('select from activity_deltas limit 1')).length === 0)

describe('RunStatistics and Usage', () => {
  it('count runs by their end, requests by their acceptance, and what was executed', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const works = await deployWorkflow(client, ['await sleep(1500); return [1, 2]', 'return 2'])
    const fails = await deployWorkflow(client, ['throw new Error("broken")'])
    const runs = [await runToEnd(client, works.id), await runToEnd(client, works.id)]
    await runToEnd(client, fails.id)
    // Partial runs cost something, but are no statistics.
    await runToEnd(client, works.id, { runFromBlock: 2 })
    const webhook = await enableWebhook(client, works.id)
    await client.post(`/api/WebhookQueueHold/${works.id}`)
    await Promise.all([1, 2, 3].map((value) => webhook.send({ value })))
    await client.post('/api/ApiProxyEmail', { subject: 'a', body: 'b', to: ['a@example.com'] })

    const expected = { ready: 2, error: 1, stopped: 0, webhooks: 3 }
    for (const _ of ['before', 'after']) {
      const { body } = await statistics(client)
      expect(body.total).toMatchObject(expected)
      expect(body.buckets.length).toBeGreaterThanOrEqual(2)
      expect(body.buckets.reduce((sum: number, bucket: { ready: number }) => sum + bucket.ready, 0)).toBe(2)
      expect((await statistics(client, { workflowId: works.id })).body.total).toMatchObject({ ...expected, error: 0 })
      expect(await usageSum(client)).toEqual({ runs: 4, blocks: 6, calls: 0, webhooks: 3, mails: 1 })
      await rolledUp()
    }
    // A pause is not run time. Durations are kept to one part in sixteen.
    const { total } = (await statistics(client, { workflowId: works.id, bucket: 'minute' })).body
    const computedMs = runs.map((run) => run.durationInMilliSec - run.pauseInMilliSec)
    expect(total.p50Ms).toBeLessThanOrEqual(Math.max(...computedMs) * 1.0625 + 2)
    expect(total.p95Ms).toBeGreaterThanOrEqual(total.p50Ms)
  })

  it('match a recount from the rows', async () => {
    const { client, id } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, [
      'if (run.runNumber % 3 === 0) throw new Error("no"); return api.get("TEST", "test/meta").catch(() => 1)',
    ])
    for (let count = 0; count < 7; count++) await runToEnd(client, workflow.id)
    const [row] = await service.asOwner(
      `select count(*)::int as runs, sum((status = 'Ready')::int)::int as ready, sum((status = 'Error')::int)::int as error from runs where account_id = $1`,
      [id],
    )
    const [blocks] = await service.asOwner(
      `select count(*)::int as blocks, sum(count_calls(calls))::int as calls,
         sum(extract(epoch from ended_at - started_at) * 1000 - pause_ms)::int as ms from run_blocks where account_id = $1`,
      [id],
    )
    expect((await statistics(client)).body.total).toMatchObject({ ready: row?.['ready'], error: row?.['error'] })
    expect((await usage(client)).body.items[0]).toMatchObject({
      runs: row?.['runs'],
      blocks: blocks?.['blocks'],
      calls: blocks?.['calls'],
      scriptMs: blocks?.['ms'],
    })
  })

  it('count a run that was stopped before anybody had it', async () => {
    await using alone = await startService({ role: 'api' })
    const { id } = await deployWorkflow(alone.manager, ['return 1'])
    const number = await startRun(alone.manager, id)
    expect((await alone.manager.get(`/api/StopWorkflowRun/${id}?runNumber=${number}`)).body).toBe(true)
    expect((await statistics(alone.manager)).body.total).toMatchObject({ ready: 0, error: 0, stopped: 1 })
    expect(await usageSum(alone.manager)).toMatchObject({ runs: 1, blocks: 0 })
  })

  it('reach across accounts as far as the caller does', async () => {
    const { partner, customer } = await createPartner()
    const foreign = await createAccount(service, service.manager, 'User')
    const stranger = await createOrganization(service)
    for (const { client } of [customer, foreign]) {
      const { id } = await deployWorkflow(client, ['return 1'])
      await runToEnd(client, id)
    }
    for (const _ of ['before', 'after']) {
      expect((await statistics(partner.client, { acrossAccounts: true })).body.total.ready).toBe(1)
      expect((await statistics(partner.client)).body.total.ready).toBe(0)
      expect((await statistics(partner.client.as(customer.id), { acrossAccounts: true })).body.total.ready).toBe(1)
      expect((await statistics(service.manager, { acrossAccounts: true })).body.total.ready).toBeGreaterThan(1)
      expect((await statistics(stranger.manager, { acrossAccounts: true })).body.total.ready).toBe(0)
      expect((await statistics(foreign.client, { acrossAccounts: true })).body.total.ready).toBe(1)
      await rolledUp()
    }
    const { items } = (await usage(partner.client, { acrossAccounts: true })).body
    expect(items.map((item: { accountId: string }) => item.accountId)).toEqual([customer.id])
  })

  it('a workflow of another account is not found, also across accounts', async () => {
    const mine = await createAccount(service, service.manager, 'User')
    const { id } = await createWorkflow(mine.client, ['return 1'])
    const other = await createAccount(service, service.manager, 'DevPartner')
    for (const acrossAccounts of [true, false])
      expect((await statistics(other.client, { workflowId: id, acrossAccounts })).status).toBe(404)
    expect((await statistics(service.manager, { workflowId: id, acrossAccounts: true })).status).toBe(200)
  })

  it('days of 23 and 25 hours are one bucket each, and begin in the zone', async () => {
    const range = { searchFrom: '2026-03-27T23:00:00Z', searchTo: '2026-03-30T22:00:00Z' }
    const asked = { ...range, bucket: 'day', timeZone: 'Europe/Oslo' }
    const { body } = await service.manager.post('/api/RunStatistics', asked)
    expect(body.buckets.map((bucket: { startDateTimeUTC: string }) => bucket.startDateTimeUTC)).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    expect(body.buckets[0]).toMatchObject({ ready: 0, error: 0, stopped: 0, webhooks: 0, p50Ms: null, p95Ms: null })
  })

  it('days of a zone of half or quarter hours begin where they begin there, and lose nothing', async () => {
    const { client, id } = await createAccount(service, service.manager, 'User')
    // One run in every quarter of an hour of three days of UTC.
    for (const [table, step, runs] of [
      ['activity_quarters', '15 minutes', 1],
      ['activity_hours', '1 hour', 4],
    ])
      await service.asOwner(
        `insert into ${table} select 'account', $1, t, $1, ${runs}, 0, 0, 0, null
         from generate_series('2026-01-05T00:00:00Z'::timestamptz, '2026-01-07T23:59:59Z', interval '${step}') t`,
        [id],
      )
    const ofDays = async (timeZone: string) => {
      const range = { searchFrom: '2026-01-05T00:00:00Z', searchTo: '2026-01-08T00:00:00Z', bucket: 'day', timeZone }
      const { body } = await client.post('/api/RunStatistics', range)
      return [body.total.ready, ...body.buckets.map((bucket: { ready: number }) => bucket.ready)]
    }
    expect(await ofDays('UTC')).toEqual([288, 96, 96, 96])
    expect(await ofDays('Asia/Kolkata')).toEqual([288, 74, 96, 96, 22])
    expect(await ofDays('Asia/Kathmandu')).toEqual([288, 73, 96, 96, 23])
    const range = { searchFrom: '2026-01-05T00:00:00Z', searchTo: '2026-01-05T02:00:00Z', bucket: 'hour' }
    const { body } = await client.post('/api/RunStatistics', { ...range, timeZone: 'Asia/Kathmandu' })
    expect(body.buckets.map((bucket: { ready: number }) => bucket.ready)).toEqual([1, 4, 4])
  })

  it.each([
    [{ searchFrom: '2026-03-02T00:00:00Z', searchTo: '2026-03-01T00:00:00Z' }, /searchTo must be later/],
    [{ searchFrom: '2026-03-01T00:00:00Z', searchTo: '2026-03-01T00:00:00Z' }, /searchTo must be later/],
    [{ searchFrom: '2020-03-01T00:00:00Z', searchTo: '2026-03-01T00:00:00Z' }, /more than 1000 buckets/],
    [{ timeZone: 'Middle/Earth' }, /Unknown time zone "Middle\/Earth"/],
    [{ timeZone: '+01:00' }, /Unknown time zone/],
    [{ bucket: 'week' }, /bucket/],
  ])('refuses %j', async (wrong, sentence) => {
    const answer = await statistics(service.manager, wrong)
    expect([answer.status, answer.body.errorMessage]).toEqual([400, expect.stringMatching(sentence)])
  })

  it('refuses minutes that are no longer kept, unless nothing happened in them', async () => {
    const { client, id } = await createAccount(service, service.manager, 'User')
    const range = { searchFrom: '2026-01-05T10:00:00Z', searchTo: '2026-01-05T10:05:00Z', bucket: 'minute' }
    expect((await client.post('/api/RunStatistics', range)).body.buckets).toHaveLength(5)
    await service.asOwner(
      `insert into activity_hours values ('account', $1, '2026-01-05T10:00:00Z', $1, 1, 0, 0, 0, null)`,
      [id],
    )
    const refused = await client.post('/api/RunStatistics', range)
    expect([refused.status, refused.body.errorMessage]).toEqual([400, expect.stringContaining('kept for 35 days')])
  })

  it('Usage tells what is stored, files of shares included', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const { id } = await deployWorkflow(client, ['return "x".repeat(100000)'])
    await runToEnd(client, id)
    await shareFiles(client, {}, [{ ...hello, content: 'x'.repeat(300_000) }])
    // Measured a few seconds after a worker has started.
    await using _worker = await service.startAnother({}, 'worker')
    await eventually(async () => (await usage(client)).body.items[0]?.storedBytes > 301_000)
  })

  it('Usage tells that nothing is stored once the last of it is gone', async () => {
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    const { id } = await createWorkflow(client, ['return 1'])
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const meter = new StorageMeter(database, () => {})
    // The service may measure at the same moment, and one measures for all.
    const measured = (isRight: (storedBytes: number) => boolean) =>
      eventually(async () => {
        await meter.measure()
        return isRight((await usage(client)).body.items.at(-1)?.storedBytes)
      })
    await measured((storedBytes) => storedBytes > 0)
    expect((await client.get(`/api/DeleteWorkflow/${id}`)).status).toBe(200)
    // The invitation is stored as well, until it is old enough.
    await service.asOwner('delete from mails where account_id = $1', [accountId])
    await measured((storedBytes) => storedBytes === 0)
  })

  it('Usage is a file with ?format=csv', async () => {
    const { client, id } = await createAccount(service, service.manager, 'User')
    await client.post('/api/ApiProxyEmail', { subject: 'a', body: 'b', to: ['a@example.com'] })
    const answer = await client.post('/api/Usage?format=csv', { ...today(), bucket: 'month' })
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="usage-.*\.csv"/)
    const [head, line] = answer.text.split('\r\n')
    expect(head).toBe(
      'accountId,email,startDateTimeUTC,runs,blocks,calls,webhooks,mails,scriptMs,storedBytes,accountName',
    )
    expect(line).toMatch(new RegExp(`^${id},.*-01T00:00:00.000Z,0,0,0,0,1,0,`))
    expect((await usage(client, { bucket: 'hour' })).status).toBe(400)
    expect((await client.post('/api/Usage?format=xml', { ...today(), bucket: 'day' })).status).toBe(400)
  })
})

describe('Overview', () => {
  /** Without a mail server every account has held ones. */
  const withoutMails = (items: { kind: string }[]) => items.filter(({ kind }) => kind !== 'mail.held')

  it('counts requests that were given up, not those that a person skipped after an error', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const { id } = await deployWorkflow(client, ['throw new Error("no stock")'])
    const webhook = await enableWebhook(client, id, { skipProcessingAfterErrors: 2 })
    const sent = [(await webhook.send({})).body.webhookId, (await webhook.send({})).body.webhookId]
    const errorsOf = async (webhookId: string) => {
      const { items } = (await client.post(`/api/GetWebhookQueue/${id}`, { size: 10 })).body
      return items.find((item: { webhookId: string }) => item.webhookId === webhookId)?.errorCounter
    }
    await eventually(async () => (await errorsOf(sent[0])) === 1 && (await errorsOf(sent[1])) === 1)
    expect((await client.post(`/api/WebhookSkip/${sent[0]}`)).status).toBe(200)
    expect((await client.post('/api/Overview', {})).body.webhooks.givenUp).toBe(0)
    expect((await client.post(`/api/WebhookRetry/${sent[1]}`)).status).toBe(200)
    const { webhooks, attention } = await eventually(async () => {
      const { body } = await client.post('/api/Overview', {})
      return body.webhooks.queued === 0 ? body : undefined
    })
    expect(webhooks.givenUp).toBe(1)
    expect(attention).toContainEqual(
      expect.objectContaining({
        kind: 'webhook.givenUp',
        targetId: id,
        message:
          '1 webhook request was given up after too many errors. The last error: Block 1 "Block 1" failed at line 1: no stock',
      }),
    )
  })

  it('counts what exists and lists what needs attention', async () => {
    const { partner, customer } = await createPartner()
    const { client, id } = customer
    await createWorkflow(client, ['return 1'])
    const failing = await deployWorkflow(client, ['throw new Error("no")'], { name: 'Orders' })
    const archived = await deployWorkflow(client, ['return 1'])
    await client.get(`/api/ArchiveWorkflow/${archived.id}`)
    await runToEnd(client, failing.id)
    const webhook = await enableWebhook(client, failing.id)
    await client.post(`/api/WebhookQueueHold/${failing.id}`)
    await webhook.send({})

    const { body } = await client.post('/api/Overview', {})
    expect(body).toMatchObject({
      workflows: { inDevelopment: 1, deployed: 1, archived: 1, failing: 1, paused: 0 },
      connections: { ok: 0, faulted: 0, waiting: 0 },
      webhooks: { queued: 1, oldestDateTimeUTC: expect.stringMatching(/Z$/), givenUp: 0 },
      outbox: { failed: 0 },
    })
    expect(body.accounts).toBeUndefined()
    expect(body.attention).toContainEqual({
      kind: 'workflow.failing',
      accountId: id,
      accountName: expect.stringMatching(/\w+ \w+/),
      accountEmail: expect.stringContaining('@'),
      targetId: failing.id,
      title: 'Orders',
      message: 'Block 1 "Block 1" failed at line 1: no',
      sinceDateTimeUTC: expect.stringMatching(/Z$/),
    })

    const across = (await partner.client.post('/api/Overview', { acrossAccounts: true })).body
    expect(across.workflows.failing).toBe(1)
    expect(across.accounts).toEqual([
      expect.objectContaining({ accountId: id, failing: 1, faulted: 0, queued: 1 }),
      expect.objectContaining({ accountId: partner.id, failing: 0, faulted: 0, queued: 0 }),
    ])
    expect((await partner.client.post('/api/Overview', {})).body.workflows.failing).toBe(0)
    expect(across.accounts[0].accountName).toMatch(/\w+ \w+/)
  })

  it('has one entry for one incident: a fault or a pause stands for the workflows that fail because of it', async () => {
    const { customer } = await createPartner()
    const { client } = customer
    const registered = await client.post('/api/RegApplication', {
      applicationId: 'f3055934-bffe-55b6-b9e5-ce20a3a8563b',
      credentialsJson: '{}',
    })
    const faulted = await deployWorkflow(client, ['throw new Error("no")'], { applications: { TEST: registered.body } })
    const paused = await deployWorkflow(client, ['throw new Error("broken pipe")'])
    await runToEnd(client, faulted.id)
    await runToEnd(client, paused.id)
    await service.asOwner(
      "update registered_applications set fault_message = 'The token was refused.', fault_source = 'target', faulted_at = now() where id = $1",
      [registered.body],
    )
    await service.asOwner(
      'update workflows set auto_failures = 10, is_auto_run_paused = true, next_try_at = now(), paused_since = now() where id = $1',
      [paused.id],
    )
    const { body } = await client.post('/api/Overview', {})
    const seen = withoutMails(body.attention).map(({ kind, targetId, message }: Record<string, string>) => [
      kind,
      targetId,
      message,
    ])
    expect(seen.toSorted()).toEqual([
      ['connection.faulted', registered.body, 'The token was refused.'],
      [
        'workflow.paused',
        paused.id,
        'Automatic runs are paused after ten failures in a row. The last error: Block 1 "Block 1" failed at line 1: broken pipe',
      ],
    ])
  })

  it('tells of an account that is not active and has schedules or webhooks', async () => {
    const account = { email: `new-${Date.now()}@example.com`, firstName: 'Nora', lastName: 'Ny', roleName: 'User' }
    const { body: id } = await service.manager.post('/api/Account', account)
    const acting = service.manager.as(id)
    const { id: workflowId } = await deployWorkflow(acting, ['return 1'])
    const attention = async () => withoutMails((await acting.post('/api/Overview', {})).body.attention)
    expect(await attention()).toEqual([])
    const scheduled = await acting.post('/api/WorkflowScheduler', {
      workflowId,
      isScheduled: true,
      scheduleFrequency: 'daily',
    })
    expect([scheduled.status, scheduled.body]).toEqual([200, expect.stringContaining('The account is not active')])
    expect(scheduled.body).not.toContain('runs next')
    expect((await acting.get(`/api/Workflow/${workflowId}`)).body).toMatchObject({
      isScheduled: true,
      nextRunDateTimeUTC: null,
    })
    const first = await acting.post(`/api/WebhookSettingsEnable/${workflowId}`, {})
    expect(first.body.message).toContain('The account is not active')
    const again = await acting.post(`/api/WebhookSettingsEnable/${workflowId}`, {})
    expect(again.body.message).toContain('The account is not active')
    expect(await attention()).toEqual([
      {
        kind: 'accountInactive',
        accountId: id,
        accountName: 'Nora Ny',
        accountEmail: account.email,
        targetId: id,
        title: 'Nora Ny',
        message: 'The account is not active yet, so 1 workflow with a schedule or webhook does not run.',
        sinceDateTimeUTC: expect.stringMatching(/Z$/),
      },
    ])
    expect((await service.manager.post(`/api/AccountState/${id}`, { accountState: 'active' })).status).toBe(200)
    expect(await attention()).toEqual([])
    expect((await acting.get(`/api/Workflow/${workflowId}`)).body.nextRunDateTimeUTC).toMatch(/Z$/)
  })
})
