import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { type ReceivedMail, startSmtpPeer } from '../harness/smtp-peer.ts'
import {
  download,
  fileIds,
  hello,
  postShare,
  sendUpload,
  shareFiles,
  sharePath,
  uploadForm,
} from '../harness/upload.ts'

let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
let service: TestService
beforeAll(async () => {
  smtp = await startSmtpPeer()
  service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const share = (fields?: Record<string, string>, files?: (typeof hello)[]) => shareFiles(service.manager, fields, files)
const mailOf = (shareId: string): Promise<ReceivedMail> =>
  eventually(() => smtp.received.find((mail) => plain(mail).includes(shareId)))
/** Quoted-printable undone, as far as links need it. */
const plain = (mail: ReceivedMail) => mail.source.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=')
async function linkOf(shareId: string): Promise<URL> {
  const found = /https?:\S+secure-download\?[^\s"<]+/.exec(plain(await mailOf(shareId)))
  return new URL(found?.[0].replaceAll('&amp;', '&') ?? '')
}
const filesOnDisk = (id: string) => join(service.dataDir, 'shares', id)
const refusedPage = async () => (await postShare(service.baseUrl, randomUUID(), { code: 'x' })).bytes.toString()

describe('ProxySecureUpload', () => {
  it('answers the id of the share as a JSON string and mails a link that opens it', async () => {
    const id = await share()
    const mail = await mailOf(id)
    expect(mail.to).toEqual(['anna@example.com'])
    expect(mail.source).toMatch(/^Subject: Files for you$/m)
    expect(mail.source).toContain(`Reply-To: ${service.firstAccount.email}`)
    expect(mail.source).toMatch(
      new RegExp(`^From: "?${service.firstAccount.email} via Patchbay"? <patchbay@localhost>`, 'm'),
    )
    expect(mail.source).toContain('text/html')
    const link = await linkOf(id)
    expect(`${link.origin}${link.pathname}`).toBe(`${service.baseUrl}/secure-share/secure-download`)
    expect(link.searchParams.get('shareid')).toBe(id)
    const code = link.searchParams.get('code') ?? ''
    expect(Buffer.from(code, 'base64url')).toHaveLength(16)
    const got = await download(service, id, code)
    expect([got.status, got.bytes.toString()]).toEqual([200, 'Hello, Anna'])
  })

  it('does not mail a code that the sender chose, nor the note, nor the names of the files', async () => {
    const id = await share({ code: 'kode Øst 42', secureNote: 'The vault is behind the picture.' })
    const link = await linkOf(id)
    expect([...link.searchParams.keys()]).toEqual(['shareid'])
    const mail = plain(await mailOf(id))
    for (const secret of ['kode', 'picture', 'hello.txt']) expect(mail).not.toContain(secret)
    const got = await download(service, id, ' kode Øst 42 ')
    expect(got.bytes.toString()).toBe('Hello, Anna')
  })

  it('uses the fields that were given', async () => {
    const id = await share({
      email: 'Økonomi, Berg AS',
      copy: 'copy@example.com',
      subject: 'Regnskap 2025',
      bodyIsHtml: 'false',
      expiresInDays: '3',
    })
    const mail = await mailOf(id)
    expect([...mail.to].sort()).toEqual(['anna@example.com', 'copy@example.com'])
    expect(mail.source).toMatch(/^Cc: copy@example.com$/m)
    expect(mail.source).toMatch(/^Subject: Regnskap 2025$/m)
    expect(mail.source).toMatch(/^From: =\?UTF-8\?/m)
    expect(mail.source).not.toContain('text/html')
    const listed = (await service.manager.get('/api/SecureShares')).body.find((one: { id: string }) => one.id === id)
    const days = (Date.parse(listed.expiresDateTimeUTC) - Date.parse(listed.createDateTimeUTC)) / 86_400_000
    expect(Math.round(days)).toBe(3)
    const address = await share({ email: 'sender@example.com' })
    expect((await mailOf(address)).source).toContain('Reply-To: sender@example.com')
  })

  it('takes several files, empty ones and ones with odd names, and gives back every byte', async () => {
    const files = [
      { name: 'Årsregnskap 2025 (utkast).pdf', content: randomBytes(200_000), type: 'application/pdf' },
      { name: 'empty.bin', content: new Uint8Array() },
      { name: '../../etc/passwd', content: 'x' },
      { name: 'quote".txt', content: `\r\n--boundary\r\n${'-'.repeat(70_000)}\r\n` },
      { name: '日本.html', content: '<script>alert(1)</script>', type: 'text/html' },
      { name: 'exact.bin', content: randomBytes(65_536) },
    ]
    const id = await share({ code: 'c' }, files as never)
    const list = (await postShare(service.baseUrl, id, { code: 'c' })).bytes.toString()
    expect(fileIds(list)).toHaveLength(files.length)
    expect(list).toContain('<td>passwd</td>')
    expect(list).toContain('quote&quot;.txt')
    for (const [index, file] of files.entries()) {
      const got = await download(service, id, 'c', index)
      expect(got.bytes.equals(Buffer.from(file.content as never)), file.name).toBe(true)
    }
  })

  it('takes fields after the files, leaves unfilled ones out, and passes over a file that was not chosen', async () => {
    const form = new FormData()
    form.append('files', new File(['one'], 'one.txt'))
    form.append('files', new File([], ''))
    form.append('copy', '')
    form.append('subject', ' ')
    form.append('notificationEmail', 'late@example.com')
    const answer = await sendUpload(service.manager, form)
    expect(answer.status, answer.text).toBe(200)
    const mail = await mailOf(answer.body)
    expect(mail.to).toEqual(['late@example.com'])
    const [listed] = (await service.manager.get('/api/SecureShares')).body
    expect(listed.files).toHaveLength(1)
  })

  it('belongs to the managed account', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const answer = await sendUpload(service.manager, uploadForm([hello]), { ManagedAccountId: user.id })
    expect((await user.client.get('/api/SecureShares')).body.map((one: { id: string }) => one.id)).toEqual([
      answer.body,
    ])
    expect((await mailOf(answer.body)).source).toContain(`Reply-To: ${user.email}`)
  })

  it('keeps nothing readable: not on the disk, not in the database, not in the log', async () => {
    const canary = `canary-${randomUUID()}`
    const id = await share({ code: `code-${canary}`, secureNote: `note-${canary}`, subject: 'clear' }, [
      { name: `name-${canary}.txt`, content: `content-${canary}`, type: 'text/plain' },
    ])
    const { execFileSync } = await import('node:child_process')
    const found = (pattern: string) =>
      execFileSync('grep', ['-rlac', pattern, join(service.dataDir, 'shares')], { encoding: 'utf8' }).trim()
    expect(() => found(canary)).toThrow()
    const rows = await service.asOwner('select t::text from shares t union all select t::text from audit_log t')
    expect(JSON.stringify(rows)).not.toContain(canary)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(canary).toString('hex'))
    expect(service.logText()).not.toContain(canary)
    expect(readdirSync(filesOnDisk(id))).toHaveLength(1)
  })
})

describe('refusals of ProxySecureUpload', () => {
  const without = (name: string) => {
    const form = uploadForm([hello])
    form.delete(name)
    return form
  }
  const twice = uploadForm([hello])
  twice.append('subject', 'a')
  twice.append('subject', 'b')
  const asText = uploadForm([])
  asText.append('files', 'just text')
  const elsewhere = uploadForm([hello])
  elsewhere.append('file', new File(['x'], 'x.txt'))
  it.each([
    ['no files', without('files'), /files is required/],
    ['no notificationEmail', without('notificationEmail'), /notificationEmail is required/],
    ['an empty notificationEmail', uploadForm([hello], { notificationEmail: '' }), /notificationEmail is required/],
    [
      'a wrong notificationEmail',
      uploadForm([hello], { notificationEmail: 'anna' }),
      /notificationEmail must be an e-mail address/,
    ],
    ['two addresses', uploadForm([hello], { notificationEmail: 'a@b.no,c@d.no' }), /notificationEmail must be/],
    ['a wrong copy', uploadForm([hello], { copy: 'x' }), /copy must be an e-mail address/],
    ['a subject with a line break', uploadForm([hello], { subject: 'a\r\nBcc: x@example.com' }), /subject must be/],
    ['a sender with a line break', uploadForm([hello], { email: 'a\nb' }), /email must be/],
    ['bodyIsHtml that is no boolean', uploadForm([hello], { bodyIsHtml: 'perhaps' }), /bodyIsHtml must be a boolean/],
    ['expiry out of range', uploadForm([hello], { expiresInDays: '91' }), /expiresInDays must be at most 90/],
    ['a code that is too long', uploadForm([hello], { code: 'x'.repeat(201) }), /code must have at most 200/],
    [
      'a note that is too long',
      uploadForm([hello], { secureNote: 'x'.repeat(100_001) }),
      /secureNote must have at most/,
    ],
    ['a field beyond all size', uploadForm([hello], { secureNote: 'x'.repeat(300_000) }), /secureNote has more than/],
    ['an unknown field', uploadForm([hello], { surprise: '1' }), /Unknown field "surprise"/],
    ['a name of prototypes', uploadForm([hello], { constructor: '1' }), /Unknown field "constructor"/],
    ['a field twice', twice, /subject appears twice/],
    ['files as text', asText, /files must hold files/],
    ['files in another field', elsewhere, /Unexpected field "file"/],
  ])('%s', async (_name, form, words) => {
    const before = [await service.asOwner('select count(*) from shares'), readdirSync(join(service.dataDir, 'shares'))]
    const answer = await sendUpload(service.manager, form)
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: 400, errorMessage: expect.stringMatching(words), response: null },
    ])
    expect([
      await service.asOwner('select count(*) from shares'),
      readdirSync(join(service.dataDir, 'shares')),
    ]).toEqual(before)
  })

  it.each([
    ['JSON', '{}', 'application/json'],
    ['a form that is not multipart', 'a=b', 'application/x-www-form-urlencoded'],
    ['no type', 'x', ''],
    ['multipart without a boundary', 'x', 'multipart/form-data'],
    ['multipart of another kind', 'x', 'multipart/mixed; boundary=b'],
  ])('%s is 400', async (_name, body, type) => {
    const answer = await service.manager.send('POST', '/api/ProxySecureUpload', body, { 'Content-Type': type })
    expect([answer.status, answer.body.code]).toEqual([400, 400])
    expect(answer.body.errorMessage).toMatch(/multipart\/form-data|boundary/)
  })

  it('no body is 400, no keys are 401', async () => {
    expect((await service.manager.post('/api/ProxySecureUpload')).status).toBe(400)
    expect((await sendUpload(service.client(undefined), uploadForm([hello]))).status).toBe(401)
  })

  it('are described as a form', async () => {
    const { paths, components } = (await service.client(undefined).get('/openapi.json')).body
    const { content } = paths['/api/ProxySecureUpload'].post.requestBody
    expect(Object.keys(content)).toEqual(['multipart/form-data'])
    const { $ref } = content['multipart/form-data'].schema
    expect(components.schemas[$ref.split('/').at(-1)].required.sort()).toEqual(['files', 'notificationEmail'])
    const metaData = (await service.manager.get('/api/GetMetaData')).body
    const item = metaData.find((one: { name: string }) => one.name === 'ProxySecureUpload')
    expect(Object.keys(item.requestBodySchema.properties)).toContain('secureNote')
  })
})

describe('the share page', () => {
  it('shows a form on GET, with the code of the link, whatever the share, and changes nothing', async () => {
    const id = await share()
    const before = await service.asOwner('select * from shares where id = $1', [id])
    for (let round = 0; round < 50; round++) {
      const method = ['GET', 'HEAD'][round % 2] as string
      const headers = { Range: 'bytes=0-10', Purpose: 'prefetch' }
      const answer = await fetch(`${service.baseUrl}${sharePath}?shareid=${id}&code=abc%22`, { method, headers })
      await answer.arrayBuffer()
    }
    expect(await service.asOwner('select * from shares where id = $1', [id])).toEqual(before)
    const answer = await fetch(`${service.baseUrl}${sharePath}?shareid=${id}&code=abc%22%3E`)
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toMatch(/<form method="post">.*name="code" value="abc&quot;&gt;"/s)
    expect(page).not.toContain('<script')
    expect(page).not.toContain(id)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const unknown = await fetch(`${service.baseUrl}${sharePath}?shareid=${randomUUID()}&code=abc%22%3E`)
    expect(await unknown.text()).toBe(page)
  })

  it('lists the files and the note, escaped, after the right code', async () => {
    const id = await share({ code: '<b>', secureNote: '<i>note</i>' }, [{ ...hello, name: '<img src=x>.txt' }])
    const list = await postShare(service.baseUrl, id, { code: '<b>' })
    const page = list.bytes.toString()
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page).toContain('&lt;i&gt;note&lt;/i&gt;')
    expect(page).toContain('&lt;img src=x&gt;.txt')
    expect(page).toContain('11 bytes')
    expect(page).not.toMatch(/<i>|<img src=x|<script/)
  })

  it('works with the link alone: sending the form of the mailed address as it is', async () => {
    const id = await share()
    const answer = await fetch(await linkOf(id), { method: 'POST' })
    expect(await answer.text()).toContain('hello.txt')
  })

  it('sends a file to be saved, never shown', async () => {
    const id = await share({ code: 'c' }, [{ name: 'Ål "1" 100%.html', content: '<p>', type: 'text/html' }])
    const got = await download(service, id, 'c')
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '3',
      'content-disposition': `attachment; filename="_l _1_ 100_.html"; filename*=UTF-8''%C3%85l%20%221%22%20100%25.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    })
    const odd = await share({ code: 'c' }, [{ name: 'x', content: '1', type: 'not a type' }])
    expect((await download(service, odd, 'c')).headers.get('content-type')).toBe('application/octet-stream')
  })

  it('gives one same answer for unknown, malformed, expired, locked, taken back, of a locked account, and wrong', async () => {
    const wanted = await refusedPage()
    const wrong = await share({ code: 'right' })
    const expired = await share({ code: 'right' })
    await service.asOwner("update shares set expires_at = now() - interval '1 second' where id = $1", [expired])
    const locked = await share({ code: 'right' })
    await service.asOwner("update shares set status = 'Locked' where id = $1", [locked])
    const gone = await share({ code: 'right' })
    await service.manager.get(`/api/DeleteSecureShare/${gone}`)
    const user = await createAccount(service, service.manager, 'User')
    const ofLocked = (await sendUpload(user.client, uploadForm([hello], { code: 'right' }))).body
    await service.manager.post(`/api/AccountState/${user.id}`, { accountState: 'Locked' })
    const cases: [string, string][] = [
      [wrong, 'wrong'],
      [wrong, ''],
      [wrong, 'x'.repeat(5000)],
      [expired, 'right'],
      [locked, 'right'],
      [gone, 'right'],
      [ofLocked, 'right'],
      ['nonsense', 'right'],
      ['', ''],
      ["' or 1=1 --", '\u0000'],
    ]
    for (const [id, code] of cases) {
      const answer = await postShare(service.baseUrl, encodeURIComponent(id), { code })
      expect([answer.status, answer.bytes.toString()], id).toEqual([404, wanted])
      const file = await postShare(service.baseUrl, encodeURIComponent(id), { code, file: randomUUID() })
      expect([file.status, file.bytes.toString()], id).toEqual([404, wanted])
    }
    const unknownFile = await postShare(service.baseUrl, wrong, { code: 'right', file: randomUUID() })
    expect([unknownFile.status, unknownFile.bytes.toString()]).toEqual([404, wanted])
    const byName = await postShare(service.baseUrl, wrong, { code: 'right', file: '../storage-id' })
    expect(byName.status).toBe(404)
  })

  it('locks after 20 wrong codes, however many are tried at once, and tells the sender', async () => {
    const id = await share({ code: 'right' })
    for (let round = 0; round < 2; round++) await postShare(service.baseUrl, id, { code: `wrong ${round}` })
    // Each try costs a processor as much as it is meant to cost whoever guesses, so most of them are only noted here.
    await service.asOwner('update shares set wrong_codes = wrong_codes + 13 where id = $1', [id])
    expect((await download(service, id, 'right')).bytes.toString()).toBe('Hello, Anna')
    const listed = async () =>
      (await service.manager.get('/api/SecureShares')).body.find((one: { id: string }) => one.id === id)
    expect(await listed()).toMatchObject({ state: 'Active', wrongCodes: 15, downloads: 1 })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => postShare(service.baseUrl, id, { code: `guess ${n}` })),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([404]))
    expect(await listed()).toMatchObject({ state: 'Locked', wrongCodes: 20 })
    const right = await postShare(service.baseUrl, id, { code: 'right' })
    expect([right.status, right.bytes.toString()]).toEqual([404, await refusedPage()])
    const told = await eventually(() => smtp.received.find((mail) => mail.source.includes('A secure share was locked')))
    expect(told.to).toEqual([service.firstAccount.email])
    expect(told.source).toContain(id)
    const log = (await service.manager.post('/api/GetAuditLog', { size: 1000 })).body.items
    const ofShare = log
      .filter((entry: { target: string }) => entry.target === id)
      .map((e: { action: string }) => e.action)
    expect(ofShare).toEqual(['share.locked', 'share.downloaded', 'share.created'])
  })

  it('opens for the right code while wrong ones are tried, and no right one counts as wrong', async () => {
    const id = await share({ code: 'right' })
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        postShare(service.baseUrl, id, { code: n % 4 === 0 ? `wrong ${n}` : 'right' }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(18)
    expect(await service.asOwner('select wrong_codes from shares where id = $1', [id])).toEqual([{ wrong_codes: 6 }])
  })

  it('turns away a flood of codes without work, instead of queueing it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => postShare(service.baseUrl, randomUUID(), { code: 'x' })),
    )
    const counts = Object.groupBy(answers, (answer) => String(answer.status))
    expect(Object.keys(counts).sort()).toEqual(['404', '503'])
    expect(counts['503']?.[0]?.headers.get('retry-after')).toBeTruthy()
    expect(counts['503']?.[0]?.bytes.toString()).toContain('Too many codes are being checked')
  })
})
