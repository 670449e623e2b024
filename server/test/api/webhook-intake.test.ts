import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { RemoteFeeder } from '../../src/webhooks/queue/feeder.ts'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  countStored,
  deployWebhook,
  enableWebhook,
  historyOf,
  leftQueue,
  queueOf,
  sendRaw,
  signature,
} from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow } from '../harness/workflows.ts'
import { sampleFormats } from '../webhooks-verify/sign.ts'

describe('webhook intake', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const deployed = (settings?: Record<string, unknown>) => deployWebhook(service.manager, settings)
  const stored = (workflowId: string) => countStored(service, workflowId)

  it('does not take a request for stored because a constraint of some name was violated', async () => {
    const { workflowId, send } = await deployed()
    await service.asOwner(
      `alter table webhook_queue add constraint webhook_of_a_test check (workflow_id <> '${workflowId}') not valid`,
    )
    try {
      const answer = await send({ lost: true })
      expect([answer.status, answer.body.webhookId]).toEqual([500, undefined])
      expect(await stored(workflowId)).toBe(0)
    } finally {
      await service.asOwner('alter table webhook_queue drop constraint webhook_of_a_test')
    }
    expect((await send({ lost: false })).status).toBe(200)
  })

  it('tells every account that waits, however many at once, to the processes that feed', async () => {
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const heard = new Set<string>()
    const hear = (named: string) => {
      for (const id of named.split(' ')) heard.add(id)
    }
    const listening = await database.listen('patchbay_webhooks', hear, () => {})
    const accounts = Array.from({ length: 450 }, () => randomUUID())
    const feeder = new RemoteFeeder(database, () => {})
    for (const id of accounts) feeder.wake(id)
    await eventually(() => accounts.every((id) => heard.has(id)))
    await listening.close()
  })

  it('answers 200 with the id of a request that can then be read', async () => {
    const webhook = await deployed()
    const answer = await webhook.send({ order: { id: 7 }, text: 'å 😀 \u0000' })
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['webhookId']])
    const read = await service.manager.get(`/api/GetWebhook/${answer.body.webhookId.toUpperCase()}`)
    expect(read.body).toEqual({
      id: answer.body.webhookId,
      webhookValue: { order: { id: 7 }, text: 'å 😀 \u0000' },
      method: 'POST',
      headers: expect.objectContaining({ 'x-patchbay-signature': expect.stringMatching(/^sha256=/) }),
      urlParameters: {},
      createDateTimeUTC: expect.any(String),
      modifyDateTimeUTC: expect.any(String),
      workflowId: webhook.workflowId,
    })
  })

  it.each(['POST', 'PUT', 'PATCH'])('takes %s', async (method) => {
    const webhook = await deployed()
    expect((await webhook.send({ a: 1 }, {}, method)).status).toBe(200)
  })

  it.each([
    ['JSON', '{"a":[1,null]}', 'application/json', { a: [1, null] }],
    ['JSON of an unknown type', '{"a":1}', 'application/vnd.shop+thing', { a: 1 }],
    ['JSON without a type', '[1,2]', undefined, [1, 2]],
    ['broken JSON', '{"a":', 'application/json', '{"a":'],
    ['a form', 'a=1&b=2', 'application/x-www-form-urlencoded', 'a=1&b=2'],
    ['XML', '<order id="1"/>', 'text/xml', '<order id="1"/>'],
    ['nothing', '', 'application/json', ''],
    ['text full of brackets', '['.repeat(5000), 'text/plain', '['.repeat(5000)],
    [
      'a key that means something to JavaScript',
      '{"__proto__":{"a":1}}',
      'application/json',
      JSON.parse('{"__proto__":{"a":1}}'),
    ],
  ])('keeps %s', async (_name, body, type, value) => {
    const webhook = await deployed()
    const answer = await webhook.send(Buffer.from(body), type === undefined ? {} : { 'Content-Type': type })
    expect(answer.status, answer.text).toBe(200)
    expect((await service.manager.get(`/api/GetWebhook/${answer.body.webhookId}`)).body.webhookValue).toEqual(value)
  })

  it.each(sampleFormats.filter(({ signsUrl }) => !signsUrl).map((format) => [format.name, format] as const))(
    'takes the signature of %s',
    async (_name, format) => {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const webhook = await deployed({ secret })
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0x00, 0xfe]), Buffer.from('"}')])
      const time = String(Math.floor(Date.now() / 1000))
      const right = format.sign({ secret, body: bytes, time, id: randomUUID() })
      expect((await sendRaw(webhook.url, bytes, right)).status).toBe(200)
      const before = await stored(webhook.workflowId)
      const wrongSecret = format.sign({ secret: `whsec_${randomBytes(32).toString('base64')}`, body: bytes, time })
      for (const [body, headers] of [
        [bytes, wrongSecret],
        // The secret itself proves nothing about the body.
        ...(format.name === 'secret' ? [] : [[Buffer.concat([bytes, Buffer.from(' ')]), right] as const]),
        [bytes, { ...right, [format.header]: '' }],
        [bytes, { ...right, [format.header]: 'nonsense' }],
        [bytes, {}],
      ] as const) {
        const refused = await sendRaw(webhook.url, body, headers as Record<string, string>)
        expect(refused.status, refused.text).toBe(401)
        expect(refused.body).toEqual({ code: 401, errorMessage: expect.any(String), response: null })
      }
      expect(await stored(webhook.workflowId)).toBe(before)
    },
  )

  it('takes the secret itself as a header, which is not kept', async () => {
    const webhook = await deployed()
    const answer = await sendRaw(webhook.url, Buffer.from('{}'), {
      'X-Webhook-Secret': webhook.secret,
      Authorization: 'Bearer of-the-sender',
      'X-Topic': 'orders',
    })
    expect(answer.status).toBe(200)
    await leftQueue(service.manager, webhook.workflowId, answer.body.webhookId)
    const run = await service.manager.get(`/api/Workflow/${webhook.workflowId}`)
    const result = await service.manager.get(
      `/api/GetBlockResult/${webhook.workflowId}?uniqueBlockId=${run.body.chain[0].uniqueBlockId}`,
    )
    expect(result.body.result.headers).toMatchObject({ 'x-topic': 'orders' })
    expect(result.text).not.toContain(webhook.secret)
    expect(result.text).not.toContain('of-the-sender')
  })

  it('refuses a signature that is older than five minutes', async () => {
    const webhook = await deployed()
    const standard = sampleFormats.find(({ name }) => name === 'Standard Webhooks')
    const bytes = Buffer.from('{}')
    const at = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)
    const send = (time: string) =>
      sendRaw(webhook.url, bytes, standard?.sign({ secret: webhook.secret, body: bytes, time, id: randomUUID() }) ?? {})
    expect((await send(at(-290))).status).toBe(200)
    expect((await send(at(-310))).status).toBe(401)
    expect((await send(at(310))).status).toBe(401)
  })

  it('gives one same 404 whatever the reason is for taking nothing', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const bytes = Buffer.from('{}')
    const send = (id: string, secret = 'some secret') =>
      sendRaw(`${service.baseUrl}/webhook/${id}`, bytes, { 'X-Patchbay-Signature': signature(secret, bytes) })
    const never = await send(randomUUID())
    expect(never.status).toBe(404)
    const { id: unconfigured } = await deployWorkflow(service.manager, ['return 1'])
    const disabled = await deployed()
    await service.manager.post(`/api/WebhookSettingsDisable/${disabled.workflowId}`)
    const cleaned = await deployed()
    await service.manager.post(`/api/WebhookSettingsDisable/${cleaned.workflowId}?disableWithCleanSettings=true`)
    const archived = await deployed()
    await service.manager.get(`/api/ArchiveWorkflow/${archived.workflowId}`)
    const deleted = await deployed()
    await service.manager.get(`/api/DeleteWorkflow/${deleted.workflowId}`)
    const { id: ofUser } = await deployWorkflow(user.client, ['return 1'])
    const locked = await enableWebhook(user.client, ofUser)
    expect((await locked.send({})).status).toBe(200)
    await service.manager.post(`/api/AccountState/${user.id}`, { accountState: 'Locked' })
    for (const [id, secret] of [
      ['nonsense', ''],
      [unconfigured, ''],
      [disabled.workflowId, disabled.secret],
      [cleaned.workflowId, cleaned.secret],
      [archived.workflowId, archived.secret],
      [deleted.workflowId, deleted.secret],
      [locked.workflowId, locked.secret],
    ] as const) {
      const answer = await send(id, secret || 'some secret')
      expect([id, answer.status, answer.text]).toEqual([id, 404, never.text])
    }
    expect((await sendRaw(`${service.baseUrl}/webhook/${disabled.workflowId}`, undefined, {}, 'GET')).text).toBe(
      never.text,
    )
  })

  it('notices a change at once, though it remembers settings for a moment', async () => {
    const webhook = await deployed()
    expect((await webhook.send({})).status).toBe(200)
    await service.manager.get(`/api/ArchiveWorkflow/${webhook.workflowId}`)
    expect((await webhook.send({})).status).toBe(404)
    const other = await deployed()
    expect((await other.send({})).status).toBe(200)
    // As another process would do it, unseen by this one.
    await service.asOwner('update workflows set is_webhook_active = false where id = $1', [other.workflowId])
    expect((await other.send({})).status).toBe(404)
  })

  it('takes requests only from listed addresses, and believes no forwarded ones', async () => {
    const webhook = await deployed({ ipRestriction: ['192.0.2.0/24', '2001:db8::1'] })
    for (const headers of [{}, { 'X-Forwarded-For': '192.0.2.7' }, { Forwarded: 'for=192.0.2.7' }]) {
      const refused = await webhook.send({}, headers)
      expect(refused.status, refused.text).toBe(403)
    }
    expect(await stored(webhook.workflowId)).toBe(0)
    const allowed = await deployed({ ipRestriction: ['127.0.0.0/8'] })
    expect((await allowed.send({})).status).toBe(200)
  })

  it('believes a trusted proxy, and only what that proxy added', async () => {
    await using other = await service.startAnother({ PATCHBAY_TRUSTED_PROXIES: '127.0.0.1' })
    const webhook = await deployed({ ipRestriction: ['192.0.2.7'] })
    const bytes = Buffer.from('{}')
    const send = (forwardedFor: string) =>
      sendRaw(`${other.baseUrl}/webhook/${webhook.workflowId}`, bytes, {
        'X-Patchbay-Signature': signature(webhook.secret, bytes),
        'X-Forwarded-For': forwardedFor,
      })
    expect((await send('192.0.2.7')).status).toBe(200)
    expect((await send('192.0.2.7, 198.51.100.1')).status).toBe(403)
    expect((await send('198.51.100.1, 192.0.2.7')).status).toBe(200)
  })

  it('answers the handshakes of providers and stores nothing for them', async () => {
    const webhook = await deployed()
    const graph = await sendRaw(
      `${webhook.url}?validationToken=${encodeURIComponent('<b>token</b> 1')}`,
      Buffer.from(''),
      {},
    )
    expect([graph.status, graph.text, graph.headers.get('content-type')]).toEqual([
      200,
      '<b>token</b> 1',
      'text/plain; charset=utf-8',
    ])
    const slack = await sendRaw(webhook.url, Buffer.from('{"type":"url_verification","challenge":"abc"}'), {})
    expect([slack.status, slack.text]).toEqual([200, 'abc'])
    const meta = (token: string) =>
      sendRaw(
        `${webhook.url}?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${encodeURIComponent(token)}`,
        undefined,
        {},
        'GET',
      )
    expect([(await meta(webhook.secret)).status, (await meta(webhook.secret)).text]).toEqual([200, '42'])
    expect((await meta('wrong')).status).toBe(401)
    const plainGet = await sendRaw(webhook.url, undefined, {}, 'GET')
    expect([plainGet.status, plainGet.body.code]).toEqual([405, 405])
    expect(await stored(webhook.workflowId)).toBe(0)
  })

  it('keeps what comes in development as a sandbox value and never runs it', async () => {
    const { id } = await createWorkflow(service.manager, ['return webhook'])
    const value = () => service.manager.get(`/api/GetSandboxWebhookValue/${id}`)
    expect((await value()).status).toBe(204)
    const webhook = await enableWebhook(service.manager, id)
    const first = await webhook.send({ n: 1 })
    expect((await value()).body).toEqual({ n: 1 })
    await webhook.send({ n: 2 }, { 'Idempotency-Key': 'two' })
    await webhook.send({ n: 3 }, { 'Idempotency-Key': 'two' })
    expect((await value()).body).toEqual({ n: 2 })
    expect((await service.manager.get(`/api/GetWebhook/${first.body.webhookId}`)).body).toMatchObject({
      webhookValue: { n: 1 },
      workflowId: id,
    })
    const pin = (webhookId: string | null) => service.manager.post(`/api/WebhookSandboxPin/${id}`, { webhookId })
    expect((await pin(first.body.webhookId)).status).toBe(200)
    for (let n = 0; n < 15; n++) await webhook.send({ later: n })
    expect((await value()).body).toEqual({ n: 1 })
    const { body: listed } = await service.manager.get(`/api/GetSandboxWebhooks/${id}`)
    expect(listed.map(({ isPinned }: { isPinned: boolean }) => isPinned)).toEqual([...Array(10).fill(false), true])
    expect(listed[10]).toEqual({
      webhookId: first.body.webhookId,
      createDateTimeUTC: expect.stringMatching(/Z$/),
      isPinned: true,
    })
    expect((await service.manager.get(`/api/GetWebhook/${listed[0].webhookId}`)).body.webhookValue).toEqual({
      later: 14,
    })
    expect((await service.manager.get(`/api/GetSandboxWebhooks/${randomUUID()}`)).status).toBe(404)
    expect((await pin(null)).status).toBe(200)
    expect((await value()).body).toEqual({ later: 14 })
    expect((await pin(randomUUID())).status).toBe(404)
    expect((await queueOf(service.manager, id)).length).toBe(0)
    await service.manager.get(`/api/DeployWorkflow/${id}`)
    const real = await webhook.send({ real: true })
    await leftQueue(service.manager, id, real.body.webhookId)
    expect((await historyOf(service.manager, id)).length).toBe(1)
    expect((await value()).body).toEqual({ later: 14 })
    expect((await service.manager.get(`/api/GetSandboxWebhookValue/${randomUUID()}`)).status).toBe(204)
  })

  it('asks senders to come back when the queue of the account is full', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const { id } = await deployWorkflow(user.client, ['return 1'])
    const webhook = await enableWebhook(user.client, id)
    await user.client.post(`/api/WebhookQueueHold/${id}`)
    await service.asOwner(
      `insert into webhook_queue (webhook_id, account_id, workflow_id, is_ready, due_at, created_at, modified_at)
       select gen_random_uuid(), $1, $2, true, now(), now(), now() from generate_series(1, 100000)`,
      [user.id, id],
    )
    const refused = await webhook.send({})
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    await service.asOwner('delete from webhook_queue where workflow_id = $1', [id])
    await eventually(async () => (await webhook.send({})).status === 200)
  })

  it('keeps requests sealed, and their queries and secrets out of the log', async () => {
    const webhook = await deployed()
    const bytes = Buffer.from('{"canary":"canary-in-the-body"}')
    const answer = await sendRaw(`${webhook.url}?token=canary-in-the-query`, bytes, {
      'X-Patchbay-Signature': signature(webhook.secret, bytes),
      'X-Custom': 'canary-in-a-header',
    })
    expect(answer.status).toBe(200)
    const rows = await service.asOwner('select sealed_request from webhook_requests where id = $1', [
      answer.body.webhookId,
    ])
    const [sealed] = rows.map((row) => row['sealed_request'] as Buffer)
    expect(sealed?.includes('canary')).toBe(false)
    expect(service.logText()).not.toContain('canary')
    expect(service.logText()).not.toContain(webhook.secret)
  })

  it('shows a request to nobody else', async () => {
    const webhook = await deployed()
    const { webhookId } = (await webhook.send({ a: 1 })).body
    const user = await createAccount(service, service.manager, 'User')
    const foreign = await user.client.get(`/api/GetWebhook/${webhookId}`)
    expect([foreign.status, foreign.text]).toEqual([204, ''])
    expect((await user.client.get(`/api/GetWebhook/${randomUUID()}`)).status).toBe(204)
  })

  it('leaves nothing behind of a deleted workflow', async () => {
    const webhook = await deployed()
    await service.manager.post(`/api/WebhookQueueHold/${webhook.workflowId}`)
    await webhook.send({ a: 1 }, { 'Idempotency-Key': 'x' })
    await service.manager.get(`/api/DeleteWorkflow/${webhook.workflowId}`)
    for (const table of [
      'webhooks',
      'webhook_requests',
      'webhook_queue',
      'webhook_history',
      'webhook_deliveries',
      'webhook_samples',
    ]) {
      const rows = await service.asOwner(`select from ${table} where workflow_id = $1`, [webhook.workflowId])
      expect([table, rows.length]).toEqual([table, 0])
    }
  })
})
