import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

let service: TestService
let other: TestService
beforeAll(async () => {
  service = await startService()
  // Two keepers, as two workers would have.
  other = await service.startAnother()
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const counted = 'return Array.from({ length: myVault.get("count") ?? 10 }, (_, index) => index)'
const giving = (client: Client, { id }: SampleWorkflow, count: number) =>
  client.post(`/api/MyVaultSet/${id}/count`, { jsonData: count }).then(() => runToEnd(client, id))
const expecting = (client: Client, workflowId: string, ...expectations: object[]) =>
  client.post(`/api/Expectations/${workflowId}`, { expectations })
const alarms = async (client: Client, more: object = {}) => (await client.post('/api/Alarms', more)).body
const isOver = () => eventually(async () => (await service.asOwner('select from alarm_checks limit 1')).length === 0)

describe('alarms', () => {
  it('are raised when a block gives too few items, and cleared when it is right again, once each', async () => {
    await using target = await startHttpTarget()
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    await client.post('/api/EventSubscriptions', { url: target.origin, events: ['alarm.raised', 'alarm.cleared'] })
    const workflow = await deployWorkflow(client, [{ script: counted, blockName: 'Fetch' }], { name: 'Orders' })
    const [uniqueBlockId] = workflow.blocks
    const expectation = { kind: 'itemsBetween', uniqueBlockId, min: 1, max: 50 }
    expect((await expecting(client, workflow.id, expectation)).status).toBe(200)
    expect((await client.get(`/api/Expectations/${workflow.id}`)).body).toEqual({ expectations: [expectation] })
    await giving(client, workflow, 10)
    await giving(client, workflow, 0)
    await giving(client, workflow, 0)
    const alarm = await eventually(async () => (await alarms(client, { isOpen: true })).items[0])
    expect(alarm).toEqual({
      id: expect.any(String),
      accountId,
      workflowId: workflow.id,
      workflowName: 'Orders',
      kind: 'itemsBetween',
      uniqueBlockId,
      message: 'Expected "Fetch" to return 1 to 50 items. Run 2 returned 0 items.',
      isOpen: true,
      raisedDateTimeUTC: expect.stringMatching(/Z$/),
      acknowledgedDateTimeUTC: null,
      clearedDateTimeUTC: null,
    })
    expect((await client.post('/api/Overview', {})).body.attention).toContainEqual(
      expect.objectContaining({ kind: 'alarm', targetId: alarm.id, message: alarm.message }),
    )
    expect((await client.post(`/api/AlarmAction/${alarm.id}`, { action: 'acknowledge' })).status).toBe(200)
    expect((await alarms(client)).items[0]).toMatchObject({ isOpen: true, acknowledgedDateTimeUTC: expect.any(String) })
    await giving(client, workflow, 10)
    await eventually(async () => (await alarms(client, { isOpen: true })).total === 0)
    await eventually(() => target.received.length === 2)
    const told = target.received.map(({ body }) => JSON.parse(body.toString()))
    expect(told).toMatchObject([
      {
        type: 'alarm.raised',
        data: { accountId, workflowId: workflow.id, alarmId: alarm.id, errorMessage: alarm.message },
      },
      { type: 'alarm.cleared', data: { accountId, workflowId: workflow.id, alarmId: alarm.id } },
    ])
    expect(await alarms(client)).toMatchObject({ total: 1, items: [{ isOpen: false }] })
    const mailed = async () => {
      const mails: { subject: string }[] = (await client.post('/api/GetOutbox', { size: 50 })).body.items
      return mails.map(({ subject }) => subject).filter((subject) => subject.startsWith('Alarm'))
    }
    await eventually(async () => (await mailed()).length === 2)
    expect((await mailed()).sort()).toEqual(['Alarm cleared: "Orders"', 'Alarm: "Orders"'])
  })

  it('that are dismissed rise again only after it was fine once', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, [counted])
    await expecting(client, workflow.id, { kind: 'itemsBetween', uniqueBlockId: workflow.blocks[0], max: 5 })
    await giving(client, workflow, 6)
    const { id } = await eventually(async () => (await alarms(client)).items[0])
    await client.post(`/api/AlarmAction/${id}`, { action: 'dismiss' })
    expect((await alarms(client)).items[0]).toMatchObject({ isOpen: false, clearedDateTimeUTC: expect.any(String) })
    await giving(client, workflow, 7)
    await isOver()
    expect((await alarms(client)).total).toBe(1)
    await giving(client, workflow, 1)
    await giving(client, workflow, 8)
    await eventually(async () => (await alarms(client)).total === 2)
  })

  it('are raised when no run succeeds and no request arrives in time', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, ['return 1'])
    const webhook = await enableWebhook(client, workflow.id)
    await client.post(`/api/WebhookQueueHold/${workflow.id}`)
    // One second and a half.
    const hours = 1.5 / 3600
    await expecting(client, workflow.id, { kind: 'succeedsWithin', hours }, { kind: 'receivesWithin', hours })
    await eventually(async () => (await alarms(client, { isOpen: true })).total === 2)
    const messages = (await alarms(client)).items.map((alarm: { message: string }) => alarm.message)
    expect(messages).toContainEqual(
      expect.stringMatching(/^Expected a successful run at least every .* hours\. There has been none since .* UTC\.$/),
    )
    expect(messages).toContainEqual(expect.stringMatching(/^Expected a webhook request at least every /))
    // Long enough to be met for the rest of this test.
    await expecting(client, workflow.id, { kind: 'succeedsWithin', hours: 1 }, { kind: 'receivesWithin', hours: 1 })
    await eventually(async () => (await alarms(client, { isOpen: true })).total === 0)
    await runToEnd(client, workflow.id)
    await webhook.send({})
    await service.asOwner(
      `update expectations set is_met = false, last_seen_at = now() - interval '2 hours' where workflow_id = $1`,
      [workflow.id],
    )
    await runToEnd(client, workflow.id)
    await eventually(async () => {
      const rows = await service.asOwner('select from expectations where workflow_id = $1 and is_met', [workflow.id])
      return rows.length === 2
    })
  })

  it('go on beside an organization that is being moved, of which nobody may change a row', async () => {
    // One keeper: of two, one would pass over what the other has in hand.
    await using alone = await startService()
    const { manager, organizationId, accountId } = await createOrganization(alone)
    const moved = await deployWorkflow(manager, ['return 1'])
    const webhook = await enableWebhook(manager, moved.id)
    await manager.post(`/api/WebhookQueueHold/${moved.id}`)
    await webhook.send({})
    await runToEnd(manager, moved.id)
    await expecting(manager, moved.id, { kind: 'receivesWithin', hours: 1 })
    await alone.asOwner(`
      begin;
      set local patchbay.is_moving = 'yes';
      create trigger refuse before delete on alarm_checks for each row when (old.account_id = '${accountId}') execute function refuse_while_moving();
      create trigger refuse before update on expectations for each row when (new.account_id = '${accountId}') execute function refuse_while_moving();
      update accounts set state_before_move = state, state = 'moving' where organization_id = '${organizationId}';
      insert into alarm_checks (run_id, account_id, workflow_id) select id, account_id, workflow_id from runs where workflow_id = '${moved.id}';
      update expectations set has_been_seen = false where workflow_id = '${moved.id}';
      commit`)
    const { client } = await createAccount(alone, alone.manager, 'User')
    const workflow = await deployWorkflow(client, [counted])
    const [uniqueBlockId] = workflow.blocks
    const items = { kind: 'itemsBetween', uniqueBlockId, max: 5 }
    await expecting(client, workflow.id, items, { kind: 'succeedsWithin', hours: 1.5 / 3600 })
    await giving(client, workflow, 6)
    // One by the check of a run, one by the clock.
    await eventually(async () => {
      const raised: { kind: string }[] = (await alarms(client)).items
      return new Set(raised.map(({ kind }) => kind)).size === 2
    })
    expect(await alone.asOwner('select workflow_id from alarm_checks')).toEqual([{ workflow_id: moved.id }])
  })

  it('know what is usual at this time of the week', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, [{ script: counted, blockName: 'Fetch' }])
    for (let run = 0; run < 3; run++) await giving(client, workflow, 40)
    await expecting(client, workflow.id, { kind: 'usual', uniqueBlockId: workflow.blocks[0] })
    await giving(client, workflow, 42)
    await giving(client, workflow, 38)
    await isOver()
    expect((await alarms(client)).total).toBe(0)
    await giving(client, workflow, 3)
    const alarm = await eventually(async () => (await alarms(client)).items[0])
    expect(alarm.message).toBe(
      'Expected "Fetch" to return about 40 items (20 to 60), as usual at this time of the week. Run 6 returned 3 items.',
    )
  })

  it('are seen by those who reach the account, and acted on by nobody else', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const stranger = await createAccount(service, service.manager, 'DevPartner')
    const workflow = await deployWorkflow(client, ['return null'])
    await expecting(client, workflow.id, { kind: 'itemsBetween', uniqueBlockId: workflow.blocks[0], min: 1 })
    await runToEnd(client, workflow.id)
    const { id } = await eventually(async () => (await alarms(client)).items[0])
    expect(
      (await alarms(service.manager, { acrossAccounts: true, size: 1000 })).items.some(
        (one: { id: string }) => one.id === id,
      ),
    ).toBe(true)
    expect((await alarms(stranger.client, { acrossAccounts: true })).total).toBe(0)
    expect((await stranger.client.post(`/api/AlarmAction/${id}`, { action: 'dismiss' })).status).toBe(404)
    expect((await expecting(stranger.client, workflow.id)).status).toBe(404)
    expect((await client.post(`/api/AlarmAction/${id}`, { action: 'ignore' })).status).toBe(400)
  })

  it.each([
    [{ kind: 'succeedsWithin' }, 'needs hours'],
    [{ kind: 'succeedsWithin', hours: 0 }, 'hours must be greater than 0'],
    [{ kind: 'succeedsWithin', hours: 1, min: 1 }, 'takes no min'],
    [{ kind: 'usual' }, 'needs uniqueBlockId'],
    [{ kind: 'usual', uniqueBlockId: '00000000-0000-4000-8000-000000000000' }, 'has no block'],
    [{ kind: 'itemsBetween', uniqueBlockId: 'block' }, 'min or max'],
    [{ kind: 'itemsBetween', uniqueBlockId: 'block', min: 3, max: 2 }, 'min is greater'],
  ])('refuse the expectation %j', async (given, sentence) => {
    const workflow = await deployWorkflow(service.manager, ['return 1'])
    const expectation =
      'uniqueBlockId' in given && given.uniqueBlockId === 'block'
        ? { ...given, uniqueBlockId: workflow.blocks[0] }
        : given
    const refused = await expecting(service.manager, workflow.id, expectation)
    expect([refused.status, refused.body.errorMessage]).toEqual([400, expect.stringContaining(sentence)])
  })
})
