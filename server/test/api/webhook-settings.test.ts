import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook, sendRaw, signature } from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow } from '../harness/workflows.ts'

describe('webhook settings', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const enable = (workflowId: string, body?: unknown) =>
    service.manager.post(`/api/WebhookSettingsEnable/${workflowId}`, body)
  const read = (workflowId: string) => service.manager.get(`/api/WebhookSettings/${workflowId}`)

  it('are not there before the webhook was enabled', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const answer = await read(id)
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it('stars for the secret mean the stored one, and nothing where there is none', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const refused = await enable(id, { secret: '********' })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('secret')
    const webhook = await enableWebhook(service.manager, id)
    expect((await enable(id, { secret: '********' })).status).toBe(200)
    expect((await webhook.send({ n: 1 })).status).toBe(200)
    const bytes = Buffer.from('{}')
    const forged = await sendRaw(webhook.url, bytes, { 'X-Patchbay-Signature': signature('********', bytes) })
    expect(forged.status).toBe(401)
  })

  it('begin with the defaults, a generated secret that is shown once, and a message on how to sign', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const first = await enable(id)
    expect(first.status, first.text).toBe(200)
    expect(first.body).toEqual({
      url: `${service.baseUrl}/webhook/${id}`,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      message: expect.stringMatching(/X-Patchbay-Signature.*HMAC-SHA256|HMAC-SHA256.*X-Patchbay-Signature/s),
    })
    expect((await enable(id, {})).body).toEqual({ url: `${service.baseUrl}/webhook/${id}` })
    const settings = await read(id)
    expect(settings.body).toEqual({
      isActive: true,
      ipRestriction: [],
      urlParameters: '',
      strictOrderProcessing: false,
      skipProcessingAfterErrors: 20,
      respondWith: 'accepted',
      respondSeconds: 25,
      signature: null,
      skipScript: '',
      isBatch: false,
      batchSize: 50,
      updateDateLastRun: false,
      orderKey: '',
      isHeld: false,
      modifyAccountId: service.firstAccount.accountId,
      modifyDateTimeUTC: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(settings.text).not.toContain(first.body.secret)
    expect((await service.manager.get(`/api/Workflow/${id}`)).body).toMatchObject({
      isWebhookActive: true,
      webhook: { isActive: true, url: first.body.url },
    })
  })

  it('keep what is not named and change what is', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const given = {
      secret: 'a secret of my own',
      ipRestriction: ['127.0.0.1', ' 10.0.0.0/8 ', '2001:db8::/32'],
      urlParameters: '?source=shop&region=no',
      strictOrderProcessing: true,
      skipProcessingAfterErrors: 0,
      skipScript: 'return webhook.body.test === true',
      isBatch: true,
      batchSize: 1000,
      updateDateLastRun: true,
    }
    const first = await enable(id.toUpperCase(), given)
    expect(first.body).toMatchObject({
      url: `${service.baseUrl}/webhook/${id}?source=shop&region=no`,
      secret: given.secret,
    })
    const stored = {
      ...given,
      secret: undefined,
      ipRestriction: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
      urlParameters: 'source=shop&region=no',
    }
    expect((await read(id)).body).toMatchObject(JSON.parse(JSON.stringify(stored)))
    expect((await enable(id, { batchSize: 1, skipScript: '' })).status).toBe(200)
    expect((await read(id)).body).toMatchObject({ strictOrderProcessing: true, batchSize: 1, skipScript: '' })
    expect((await service.manager.get(`/api/Workflow/${id}`)).body.webhook.url).toBe(first.body.url)
  })

  it.each([
    ['an empty secret', { secret: '' }, 'secret'],
    ['a blank secret', { secret: '        ' }, 'secret'],
    ['a bare prefix as secret', { secret: 'whsec_' }, 'secret'],
    ['a secret that is guessed at once', { secret: 'short' }, 'secret'],
    ['a secret that no header can carry', { secret: 'line\nbreak in it' }, 'secret'],
    ['an address list with nonsense', { ipRestriction: ['10.0.0.1', 'nonsense'] }, 'nonsense'],
    ['an address range that does not exist', { ipRestriction: ['10.0.0.0/33'] }, '10.0.0.0/33'],
    ['query parameters with spaces', { urlParameters: 'a=b c' }, 'urlParameters'],
    ['query parameters with a fragment', { urlParameters: 'a=b#c' }, 'urlParameters'],
    ['a negative number of errors', { skipProcessingAfterErrors: -1 }, 'skipProcessingAfterErrors'],
    ['half an error', { skipProcessingAfterErrors: 0.5 }, 'skipProcessingAfterErrors'],
    ['an empty batch', { batchSize: 0 }, 'batchSize'],
    ['too large a batch', { batchSize: 1001 }, 'batchSize'],
    ['a script that does not compile', { skipScript: 'return (' }, 'skipScript'],
    ['a script with a NUL', { skipScript: 'return 1 // \0' }, 'skipScript'],
    ['an order key with an empty step', { orderKey: 'order..id' }, 'orderKey'],
    ['two kinds of order', { orderKey: 'order.id', strictOrderProcessing: true }, 'orderKey'],
    ['text for a flag', { isBatch: 'true' }, 'isBatch'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['a read-only field', { isActive: true }, 'isActive'],
  ])('refuse %s and store nothing', async (_name, body, named) => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const answer = await enable(id, body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body).toEqual({ code: 400, errorMessage: expect.stringContaining(named), response: null })
    expect((await read(id)).status).toBe(204)
  })

  it('refuse an order key beside a stored strict order', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    await enable(id, { strictOrderProcessing: true })
    expect((await enable(id, { orderKey: 'order.id' })).status).toBe(400)
    expect((await enable(id, { orderKey: 'order.id', strictOrderProcessing: false })).status).toBe(200)
  })

  it('can be disabled, which keeps them, and cleaned, which makes the next enabling the first', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const disable = (flag = '') => service.manager.post(`/api/WebhookSettingsDisable/${id}${flag}`)
    expect((await disable()).body).toBe('The webhook is disabled.')
    const first = await enable(id, { batchSize: 7 })
    const disabled = await disable('?disableWithCleanSettings=false')
    expect([disabled.status, disabled.body]).toEqual([200, 'The webhook is disabled.'])
    expect((await read(id)).body).toMatchObject({ isActive: false, batchSize: 7 })
    expect((await service.manager.get(`/api/Workflow/${id}`)).body.isWebhookActive).toBe(false)
    expect((await enable(id)).body).toEqual({ url: first.body.url })
    const cleaned = await disable('?disableWithCleanSettings=true')
    expect(cleaned.body).toMatch(/settings are deleted/)
    expect((await read(id)).status).toBe(204)
    expect((await disable('?disableWithCleanSettings=perhaps')).status).toBe(400)
    const again = await enable(id)
    expect(again.body.secret).not.toBe(first.body.secret)
    expect((await read(id)).body.batchSize).toBe(50)
  })

  it.each([
    [{ algorithm: 'md5', encoding: 'hex' }, 'The field signature.algorithm must be one of sha256'],
    [{ algorithm: 'sha256', encoding: 'hex', extra: 1 }, 'Unknown field "signature.extra".'],
  ])('name what is wrong in the signature format %j', async (given, sentence) => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const answer = await service.manager.post(`/api/WebhookSettingsEnable/${id}`, {
      signature: { header: 'X-Sign', signedText: '{body}', ...given },
    })
    expect([answer.status, answer.body.errorMessage]).toEqual([400, expect.stringContaining(sentence)])
  })

  it('cannot be made for an archived workflow', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    await service.manager.get(`/api/ArchiveWorkflow/${id}`)
    const answer = await enable(id)
    expect([answer.status, answer.body.errorMessage]).toEqual([400, expect.stringContaining('archived')])
  })

  it('are nobody else’s: foreign, deleted and never existing workflows are one same 404', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    await enable(id)
    const strangers = [
      (await createOrganization(service)).manager,
      (await createAccount(service, service.manager, 'User')).client,
    ]
    for (const stranger of strangers) {
      for (const path of ['WebhookSettingsEnable', 'WebhookSettingsDisable', 'GetWebhookQueue', 'GetWebhookHistory']) {
        const foreign = await stranger.post(`/api/${path}/${id}`, path.endsWith('Disable') ? undefined : {})
        const never = await stranger.post(`/api/${path}/${randomUUID()}`, path.endsWith('Disable') ? undefined : {})
        expect([foreign.status, foreign.text]).toEqual([404, never.text])
      }
      const foreign = await stranger.get(`/api/WebhookSettings/${id}`)
      expect([foreign.status, foreign.text]).toEqual([
        404,
        (await stranger.get(`/api/WebhookSettings/${randomUUID()}`)).text,
      ])
    }
    expect((await service.manager.get('/api/WebhookSettings/nonsense')).status).toBe(404)
  })

  it('accept the old secret for 24 hours after it was replaced, and no longer', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const webhook = await enableWebhook(service.manager, id)
    const bytes = Buffer.from('{}')
    const sendWith = (secret: string) =>
      sendRaw(webhook.url, bytes, { 'X-Patchbay-Signature': signature(secret, bytes) })
    expect((await enable(id, { secret: 'the second secret' })).body).toEqual({ url: webhook.url })
    expect((await sendWith(webhook.secret)).status).toBe(200)
    expect((await sendWith('the second secret')).status).toBe(200)
    // Giving the same one again must not throw the older one away.
    await enable(id, { secret: 'the second secret' })
    expect((await sendWith(webhook.secret)).status).toBe(200)
    const [row] = await service.asOwner(
      `select extract(epoch from previous_secret_until - now()) / 3600 as hours from webhooks where workflow_id = $1`,
      [id],
    )
    expect(Number(row?.['hours'])).toBeGreaterThan(23.9)
    expect(Number(row?.['hours'])).toBeLessThanOrEqual(24)
    await service.asOwner(
      `update webhooks set previous_secret_until = now() - interval '1 second', version = gen_random_uuid() where workflow_id = $1`,
      [id],
    )
    await enable(id)
    expect((await sendWith(webhook.secret)).status).toBe(401)
    expect((await sendWith('the second secret')).status).toBe(200)
  })

  it('keep secrets sealed, bound to their place, and out of log and audit', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const secret = 'canary-of-the-webhook-settings'
    await enable(id, { secret })
    await enable(id, { secret: `${secret}-2` })
    const rows = await service.asOwner(
      'select sealed_secret, sealed_previous_secret from webhooks where workflow_id = $1',
      [id],
    )
    for (const sealed of Object.values(rows[0] ?? {})) expect((sealed as Buffer).includes(secret)).toBe(false)
    const audit = await service.manager.post('/api/GetAuditLog', { size: 1000 })
    expect(audit.text).toContain('webhook.enabled')
    expect(audit.text).not.toContain(secret)
    expect(service.logText()).not.toContain(secret)
  })

  it('write one line of audit a change', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    await enable(id)
    await enable(id, { batchSize: 3 })
    await service.manager.post(`/api/WebhookSettingsDisable/${id}`)
    await service.manager.post(`/api/WebhookSettingsDisable/${id}`)
    await service.manager.post(`/api/WebhookSettingsDisable/${id}?disableWithCleanSettings=true`)
    const rows = await service.asOwner(
      `select action from audit_log where target = $1 and action like 'webhook.%' order by id`,
      [id],
    )
    expect(rows.map((row) => row['action'])).toEqual([
      'webhook.enabled',
      'webhook.changed',
      'webhook.disabled',
      'webhook.cleaned',
    ])
  })
})
