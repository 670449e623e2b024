import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { createEmailSender, createOutbox } from '../../src/mail/index.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { dereferenced } from '../harness/open-api.ts'
import { startService, type TestService } from '../harness/service.ts'
import { type ReceivedMail, startSmtpPeer } from '../harness/smtp-peer.ts'

let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
let service: TestService
beforeAll(async () => {
  smtp = await startSmtpPeer((to) => to.startsWith('nobody@'))
  service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

let count = 0
/** Sends and waits for what the mail server got. The subject is unique unless one is given. */
async function send(fields: Record<string, unknown>): Promise<ReceivedMail> {
  const subject = fields['subject'] ?? `mail ${++count}`
  const answer = await service.manager.post('/api/ApiProxyEmail', {
    subject,
    to: ['anna@example.com'],
    body: 'Hello',
    ...fields,
  })
  expect([answer.status, answer.body], answer.text).toEqual([200, { Success: true }])
  const row = (await service.asOwner('select id from mails order by created_at desc limit 1'))[0]
  return eventually(() => smtp.received.find((mail) => mail.source.includes(`<${row?.['id']}@patchbay>`)))
}

const decodedPart = (mail: ReceivedMail, type: string) => {
  const part = mail.source.slice(mail.source.indexOf(`Content-Type: ${type}`))
  const [head = '', body = ''] = part.split(/\r\n\r\n/)
  const text = body.split('\r\n--')[0] ?? ''
  return /base64/i.test(head) ? Buffer.from(text, 'base64').toString() : text.replaceAll(/=\r\n/g, '')
}

describe('ApiProxyEmail', () => {
  it('sends plain text, with replies going to the account', async () => {
    const mail = await send({ subject: 'Orders', body: 'Twelve orders.' })
    expect(mail.to).toEqual(['anna@example.com'])
    expect(mail.from).toBe('patchbay@localhost')
    expect(mail.source).toMatch(/^Subject: Orders$/m)
    expect(mail.source).toContain('Content-Type: text/plain')
    expect(mail.source).toContain('Twelve orders.')
    expect(mail.source).toContain(`Reply-To: ${service.firstAccount.email}`)
  })

  it('sends a large attachment as it is, whatever stands around it in the body', async () => {
    const bytes = Buffer.from(Array.from({ length: 400_000 }, (_, index) => index % 251))
    const mail = await send({ attachment: bytes.toString('base64'), attachmentName: 'é "large".bin' })
    const part = mail.source.slice(mail.source.indexOf('Content-Disposition: attachment'))
    const [, body = ''] = part.split(/\r\n\r\n/)
    expect(Buffer.from(body.split('\r\n--')[0] ?? '', 'base64').equals(bytes)).toBe(true)
    const text = `"${'é\n\\'.repeat(200_000)}`
    const other = await send({ attachment: text, attachmentEncoding: 'utf8', attachmentContentType: 'text/plain' })
    const rest = other.source.slice(other.source.indexOf('Content-Disposition: attachment'))
    const [, encoded = ''] = rest.split(/\r\n\r\n/)
    expect(Buffer.from(encoded.split('\r\n--')[0] ?? '', 'base64').toString() === text).toBe(true)
    const spaced = await send({ attachment: `${' '.repeat(300_000)}AAEC`, attachmentContentType: 'application/x-test' })
    expect(spaced.source).toContain('\r\nAAEC\r\n')
    const asNumber = { subject: 'x', to: ['anna@example.com'], body: 'x'.repeat(300_000), attachment: 12 }
    expect((await service.manager.post('/api/ApiProxyEmail', asNumber)).status).toBe(400)
  })

  it('sends HTML when bodyIsHtml is true', async () => {
    const mail = await send({ body: '<p>Twelve <b>orders</b></p>', bodyIsHtml: true })
    expect(decodedPart(mail, 'text/html')).toContain('<p>Twelve <b>orders</b></p>')
    expect(mail.source).not.toContain('text/plain')
  })

  it('sends to to, cc and bcc, and shows bcc to nobody', async () => {
    const mail = await send({ to: ['a@example.com', 'b@example.com'], cc: ['c@example.com'], bcc: ['d@example.com'] })
    expect([...mail.to].sort()).toEqual(['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'])
    expect(mail.source).toMatch(/^To: a@example.com, b@example.com/m)
    expect(mail.source).toMatch(/^Cc: c@example.com/m)
    expect(mail.source).not.toContain('d@example.com')
  })

  it('sends to the account with toAccountEmail, also without to', async () => {
    const alone = await send({ to: undefined, toAccountEmail: true })
    expect(alone.to).toEqual([service.firstAccount.email])
    const both = await send({ toAccountEmail: true })
    expect([...both.to].sort()).toEqual(['anna@example.com', service.firstAccount.email].sort())
  })

  it('sends to the managed account when one is selected', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const answer = await service.manager
      .as(user.id)
      .post('/api/ApiProxyEmail', { subject: 'managed', body: '', toAccountEmail: true })
    expect(answer.status, answer.text).toBe(200)
    await eventually(() =>
      smtp.received.some((mail) => mail.to.includes(user.email) && mail.source.includes('managed')),
    )
    expect((await user.client.post('/api/GetOutbox', { size: 1 })).body.items[0].subject).toBe('managed')
  })

  it('attaches a file with its name and type', async () => {
    const content = 'a;b\r\n1;2\r\nÅse;3\r\n'
    const mail = await send({
      attachment: Buffer.from(content).toString('base64'),
      attachmentName: 'ordrer Åse.csv',
      attachmentEncoding: 'BASE64',
      attachmentContentType: 'text/csv; charset=utf-8',
    })
    expect(mail.source).toMatch(/Content-Type: text\/csv; charset=utf-8/)
    expect(mail.source).toMatch(/Content-Disposition: attachment/)
    expect(mail.source).toMatch(/filename\*0\*=utf-8''ordrer%20%C3%85se\.csv/)
    expect(decodedPart(mail, 'text/csv')).toBe(content)
  })

  it.each([
    ['base64', 'AAEC/w==', 'AAEC/w=='],
    ['base64', 'AAEC\r\n/w', 'AAEC/w=='],
    ['base64url', 'AAEC_w', 'AAEC/w=='],
    ['hex', '000102FF', 'AAEC/w=='],
    ['utf8', 'Åse', 'w4VzZQ=='],
  ])('reads an attachment in %s: %s', async (attachmentEncoding, attachment, base64) => {
    const mail = await send({ attachment, attachmentEncoding, attachmentContentType: 'application/x-test' })
    expect(mail.source).toContain('filename=attachment')
    expect(mail.source).toContain(base64)
  })

  it('sends text of any language, and a subject that looks like a header stays a subject', async () => {
    const subject = 'Bcc: x@example.com — 日本 "quoted" =?utf-8?q?=0D=0A?='
    const mail = await send({ subject, body: 'Ærlig talt 日本 \u0000 .\r\n.\r\nQUIT\r\n' })
    expect(mail.to).toEqual(['anna@example.com'])
    expect(mail.source).not.toMatch(/^Bcc:/m)
    expect(mail.source).toMatch(/^Subject: =\?UTF-8\?/m)
  })

  it('sends an attachment of 25 MiB and refuses one byte more', async () => {
    const bytes = Buffer.alloc(25 * 1024 * 1024, 1)
    const mail = await send({ attachment: bytes.toString('base64'), attachmentName: 'big.bin' })
    expect(mail.source.length).toBeGreaterThan(bytes.length * 1.33)
    const refused = await service.manager.post('/api/ApiProxyEmail', {
      subject: 'x',
      to: ['anna@example.com'],
      body: 'x',
      attachment: Buffer.concat([bytes, Buffer.from('1')]).toString('base64'),
    })
    expect([refused.status, refused.body]).toEqual([400, { Error: expect.stringContaining('25 MiB') }])
  })

  it('writes one audit row without addresses and content', async () => {
    await send({ subject: 'audited', body: 'secret text' })
    const log = await service.manager.post('/api/GetAuditLog', { size: 1 })
    expect(log.body.items[0]).toMatchObject({ action: 'mail.accepted', details: { recipients: 1 } })
    expect(log.text).not.toMatch(/anna@example|secret text/)
  })

  it('tells which recipients were refused when others were not', async () => {
    await send({ to: ['nobody@example.com', 'anna@example.com'] })
    const outbox = await eventually(async () => {
      const { body } = await service.manager.post('/api/GetOutbox', { size: 1 })
      return body.items[0].status === 'Sent' && body.items[0]
    })
    expect(outbox.errorMessage).toBe('The mail server refused these recipients: nobody@example.com.')
  })
})

describe('refusals of ApiProxyEmail are {Error} with 400', () => {
  const whole = { subject: 's', to: ['anna@example.com'], body: 'b' }
  const many = (n: number) => Array.from({ length: n }, (_, index) => `p${index}@example.com`)
  it.each([
    ['no subject', { subject: undefined }, /subject is required/],
    ['an empty subject', { subject: '' }, /subject must not be empty/],
    ['no recipient', { to: undefined }, /field to is required/],
    ['an empty list of recipients', { to: [] }, /field to is required/],
    ['toAccountEmail false without to', { to: undefined, toAccountEmail: false }, /field to is required/],
    ['no body', { body: undefined }, /body is required/],
    ['an unknown field', { from: 'x@example.com' }, /Unknown field "from"/],
    ['a recipient as text', { to: 'anna@example.com' }, /field to must be/],
    ['a recipient that is none', { to: ['anna'] }, /to\.0 must be an e-mail address/],
    ['a recipient with a line break', { to: ['anna@example.com\r\nBcc: x@example.com'] }, /to\.0 must be/],
    ['two recipients in one', { to: ['a@example.com, b@example.com'] }, /to\.0 must be/],
    ['a name in angle brackets', { cc: ['Anna <anna@example.com>'] }, /cc\.0 must be/],
    ['a wrong bcc', { bcc: ['@'] }, /bcc\.0 must be/],
    ['a subject with CR', { subject: 'a\rBcc: x@example.com' }, /subject must be a single line of text/],
    ['a subject with LF', { subject: 'a\nBcc: x@example.com' }, /subject must be a single line of text/],
    ['a subject with NUL', { subject: 'a\u0000b' }, /subject must be/],
    ['51 recipients in to', { to: many(51) }, /at most 50/],
    ['51 recipients together', { to: many(20), cc: many(20), bcc: many(11) }, /at most 50 recipients/],
    ['51 with the account', { to: many(50), toAccountEmail: true }, /at most 50 recipients/],
    ['a body that is no text', { body: 7 }, /body must be a string/],
    ['bodyIsHtml as text', { bodyIsHtml: 'true' }, /bodyIsHtml must be a boolean/],
    ['an attachment that is no base64', { attachment: 'not base64!' }, /attachment is not valid base64/],
    ['base64 that lacks a part', { attachment: 'AAECA' }, /attachment is not valid base64/],
    ['base64 with padding inside', { attachment: 'AA==AAEC' }, /attachment is not valid base64/],
    ['hex of half a byte', { attachment: 'abc', attachmentEncoding: 'hex' }, /attachment is not valid hex/],
    ['an unknown encoding', { attachment: 'AAEC', attachmentEncoding: 'rot13' }, /attachmentEncoding must be one of/],
    ['a name with a line break', { attachment: 'AAEC', attachmentName: 'a\r\nX: y' }, /attachmentName must be/],
    ['a type with a line break', { attachment: 'AAEC', attachmentContentType: 'a/b\r\nX: y' }, /attachmentContentType/],
    ['a type that is none', { attachment: 'AAEC', attachmentContentType: 'csv' }, /must be a MIME type/],
    ['a multipart type', { attachment: 'AAEC', attachmentContentType: 'multipart/mixed' }, /multipart/],
    ['a name without an attachment', { attachmentName: 'a.csv' }, /attachmentName needs the field attachment/],
  ])('%s', async (_name, wrong, words) => {
    const before = await service.asOwner('select count(*) from mails')
    const answer = await service.manager.post('/api/ApiProxyEmail', { ...whole, ...wrong })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ Error: expect.stringMatching(words) })
    expect(answer.body.Error).toMatch(/\.$/)
    expect(await service.asOwner('select count(*) from mails')).toEqual(before)
  })

  it.each([
    ['no body at all', undefined, 'application/json'],
    ['broken JSON', '{"subject":', 'application/json'],
    ['a body of another type', '<a/>', 'text/xml'],
    ['a list', '[]', 'application/json'],
    ['a body that is too large', JSON.stringify({ body: 'x'.repeat(65 * 1024 * 1024) }), 'application/json'],
  ])('%s', async (_name, body, type) => {
    const answer = await service.manager.send('POST', '/api/ApiProxyEmail', body, { 'Content-Type': type })
    expect([answer.status, answer.body]).toEqual([400, { Error: expect.any(String) }])
  })

  it('but missing keys and a foreign managed account are what they are everywhere', async () => {
    const nobody = await service.client(undefined).post('/api/ApiProxyEmail', whole)
    expect([nobody.status, nobody.body.code]).toEqual([401, 401])
    const foreign = await service.manager.as(crypto.randomUUID()).post('/api/ApiProxyEmail', whole)
    expect([foreign.status, foreign.body.code]).toEqual([403, 403])
  })

  it('and are described so', async () => {
    const document = dereferenced((await service.client(undefined).get('/openapi.json')).body)
    const { responses } = document.paths['/api/ApiProxyEmail'].post
    expect(responses['400'].content['application/json'].schema.properties).toHaveProperty('Error')
    expect(responses['413']).toBeUndefined()
    expect(responses['401'].content['application/json'].schema.properties).toHaveProperty('errorMessage')
  })
})

describe('GetOutbox', () => {
  it('shows the mails of the account, newest first, without their content', async () => {
    await using quiet = await startService()
    const user = await createAccount(quiet, quiet.manager, 'User')
    for (const subject of ['one', 'two', 'three']) {
      const answer = await user.client.post('/api/ApiProxyEmail', {
        subject,
        to: ['anna@example.com'],
        bcc: ['b@example.com'],
        body: `secret of ${subject}`,
      })
      expect(answer.body).toEqual({ Success: true })
    }
    const first = await user.client.post('/api/GetOutbox', { page: 0, size: 2 })
    expect(first.body.total).toBe(4)
    expect(first.body.items.map((mail: { subject: string }) => mail.subject)).toEqual(['three', 'two'])
    expect(first.body.items[0]).toEqual({
      id: expect.any(String),
      accountId: user.id,
      status: 'Held',
      subject: 'three',
      recipients: ['anna@example.com', 'b@example.com'],
      attempts: 0,
      errorMessage: null,
      createDateTimeUTC: expect.stringMatching(/Z$/),
      sentDateTimeUTC: null,
    })
    expect(first.text).not.toContain('secret of')
    expect((await user.client.post('/api/GetOutbox', { status: ['sent'] })).body).toEqual({ items: [], total: 0 })
    const from = first.body.items[0].createDateTimeUTC
    expect((await user.client.post('/api/GetOutbox', { searchFrom: from })).body.total).toBe(1)
    expect((await user.client.post('/api/GetOutbox', { searchTo: from })).body.total).toBe(3)
  })

  it('shows the whole organization to a Manager who asks, nothing of another organization, and is 403 below Manager', async () => {
    const user = await createAccount(service, service.manager, 'User')
    await user.client.post('/api/ApiProxyEmail', { subject: 'of the user', to: ['anna@example.com'], body: '' })
    const own = await service.manager.post('/api/GetOutbox', { size: 1000 })
    expect(own.text).not.toContain('of the user')
    const all = await service.manager.post('/api/GetOutbox', { size: 1000, allAccounts: true })
    expect(all.text).toContain('of the user')
    const { manager: stranger } = await createOrganization(service)
    expect((await stranger.post('/api/GetOutbox', { allAccounts: true })).body.total).toBe(0)
    expect((await user.client.post('/api/GetOutbox', { allAccounts: true })).status).toBe(403)
  })

  it.each([{ size: 0 }, { page: -1 }, { status: ['Lost'] }, { searchFrom: 'yesterday' }, { more: 1 }])(
    'refuses %j',
    async (body) => {
      const answer = await service.manager.post('/api/GetOutbox', body)
      expect([answer.status, answer.body.code]).toEqual([400, 400])
    },
  )
})

describe('a mail that was sent', () => {
  it('leaves no content in the database', async () => {
    const mail = await send({ body: 'to be forgotten' })
    const id = /<([0-9a-f-]{36})@patchbay>/.exec(mail.source)?.[1]
    await eventually(async () => {
      const [row] = await service.asOwner('select status, length(sealed_content) as bytes from mails where id = $1', [
        id,
      ])
      return row?.['status'] === 'Sent' && row['bytes'] === 0
    })
  })

  it('leaves the outbox after 30 days, one that waits does not', async () => {
    await using quiet = await startService()
    for (const subject of ['sent', 'held'])
      await quiet.manager.post('/api/ApiProxyEmail', { subject, to: ['anna@example.com'], body: '' })
    await quiet.asOwner("update mails set created_at = now() - interval '31 days'")
    await quiet.asOwner("update mails set status = 'Sent' where subject = 'sent'")
    await using peer = await startSmtpPeer()
    await using _withMail = await quiet.startAnother({ PATCHBAY_SMTP_URL: peer.url })
    await eventually(async () => (await quiet.asOwner("select 1 from mails where subject = 'sent'")).length === 0)
    await eventually(() => peer.received.some((mail) => mail.source.includes('Subject: held')))
  })
})

describe('email.send of scripts', () => {
  it('is the endpoint: same mails, same refusals, in the name of the account', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const { KeyRing, MasterKeys } = await import('../../src/secrets/index.ts')
    const { readFileSync } = await import('node:fs')
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const base64 = readFileSync(`${service.dataDir}/master.key`, 'utf8')
    const keyRing = await KeyRing.load(database, new MasterKeys({ kind: 'value', base64 }))
    const ledger = { add: () => {}, requireRoom: () => {} }
    // Held mails are sent by the running service, so this one needs no queue.
    const outbox = createOutbox({ keyRing, jobs: undefined as never, canSend: false, ledger })
    const sender = createEmailSender({ database, outbox, ledger })
    const scope = { organizationId: service.firstAccount.organizationId, accountId: user.id }
    const good = { subject: 'from a script', body: '<b>x</b>', bodyIsHtml: true, toAccountEmail: true }
    expect(await sender.send(scope, good)).toEqual({ Success: true })
    const mail = await eventually(() => smtp.received.find((one) => one.source.includes('from a script')))
    expect(mail.to).toEqual([user.email])
    for (const wrong of [
      null,
      [],
      'text',
      {},
      { ...good, to: ['x\r\n'] },
      { ...good, extra: 1 },
      { ...good, subject: 1 },
    ]) {
      const overHttp = await service.manager.send('POST', '/api/ApiProxyEmail', JSON.stringify(wrong))
      await expect(sender.send(scope, wrong)).rejects.toThrow(overHttp.body.Error)
    }
  })
})
