import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uniqueEmail } from '../harness/accounts.ts'
import type { Answer } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'

const password = 'correct horse battery'

describe('activation, sign-in and sessions', () => {
  let service: TestService
  let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
  beforeAll(async () => {
    smtp = await startSmtpPeer()
    service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  })

  const visitor = () => service.client(undefined)
  const form = (path: string, fields: Record<string, string>) =>
    visitor().send('POST', path, new URLSearchParams(fields).toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
    })
  const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

  async function invite(more: object = {}) {
    const email = uniqueEmail()
    const { body: id } = await service.manager.post('/api/Account', {
      email,
      firstName: 'Ivy',
      lastName: 'Invited',
      roleName: 'User',
      ...more,
    })
    const mail = await eventually(() => smtp.received.find((received) => received.to.includes(email)))
    const text = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return { id, email, mail, link: new URL(text.match(/https?:\/\/\S+/)?.[0] ?? '') }
  }
  const activated = async () => {
    const invited = await invite()
    await form('/activate', { token: invited.link.searchParams.get('token') ?? '', password, repeated: password })
    return invited
  }
  const signIn = (email: string, secret = password) => visitor().post('/api/SignIn', { email, password: secret })

  it('a new account gets a mail whose link starts with the base address, sets a password and activates', async () => {
    const { link, email, id } = await invite()
    expect(link.href.startsWith(`${service.baseUrl}/activate?token=`)).toBe(true)
    const page = await visitor().get(link.pathname + link.search)
    expect([page.status, page.headers.get('content-security-policy')?.includes("default-src 'none'")]).toEqual([
      200,
      true,
    ])
    expect(page.text).toContain(email)
    const done = await form('/activate', { token: link.searchParams.get('token') ?? '', password, repeated: password })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/'])
    expect((await service.asOwner('select state from accounts where id = $1', [id]))[0]).toEqual({ state: 'active' })
  })

  it('looking at the link does not use it up; using it does', async () => {
    const { link } = await invite()
    for (let look = 0; look < 3; look++) expect((await visitor().get(link.pathname + link.search)).status).toBe(200)
    const token = link.searchParams.get('token') ?? ''
    expect((await form('/activate', { token, password, repeated: password })).status).toBe(303)
    expect((await form('/activate', { token, password, repeated: password })).status).toBe(404)
    expect((await visitor().get(link.pathname + link.search)).status).toBe(404)
  })

  it('a link is used by one of many at once', async () => {
    const token = (await invite()).link.searchParams.get('token') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => form('/activate', { token, password, repeated: password })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([303, 404, 404, 404, 404])
  })

  it('an expired, unknown or missing token is one same page', async () => {
    const { link, id } = await invite()
    await service.asOwner('update account_links set expires_at = now() where account_id = $1', [id])
    const pages = await Promise.all(
      [link.search, '?token=nonsense', ''].map((query) => visitor().get(`/activate${query}`)),
    )
    expect(pages.map((page) => page.status)).toEqual([404, 404, 404])
    expect(new Set(pages.map((page) => page.text)).size).toBe(1)
  })

  it('a short password, or two that differ, are refused with a sentence and the link stays good', async () => {
    const token = (await invite()).link.searchParams.get('token') ?? ''
    expect((await form('/activate', { token, password: 'short', repeated: 'short' })).text).toContain('at least 12')
    expect((await form('/activate', { token, password, repeated: `${password}!` })).text).toContain('differ')
    expect((await form('/activate', { token, password, repeated: password })).status).toBe(303)
  })

  it('an activated account is mailed a link that sets a password', async () => {
    const { link, email } = await invite({ activated: true })
    expect(link.pathname).toBe('/set-password')
    await form('/set-password', { token: link.searchParams.get('token') ?? '', password, repeated: password })
    expect((await signIn(email)).status).toBe(200)
  })

  it('an account that waits for activation cannot sign in', async () => {
    const { email } = await invite()
    expect((await signIn(email)).status).toBe(401)
  })

  it('sign-in gives an HttpOnly, SameSite=Strict cookie and a token that requests must carry', async () => {
    const { email, id } = await activated()
    const answer = await signIn(email.toUpperCase())
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(
      /^patchbay_session=pbn_[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+, patchbay_device=/,
    )
    const withCookie = visitor().with({ Cookie: cookieOf(answer) })
    expect((await withCookie.get('/api/Authenticate')).status).toBe(401)
    const signedIn = withCookie.with({ 'X-CSRF-Token': answer.body.csrfToken })
    expect((await signedIn.get('/api/Authenticate')).body.myAccount.id).toBe(id)
    expect((await withCookie.get('/api/Session')).body).toEqual(answer.body)
    expect((await withCookie.with({ 'X-CSRF-Token': 'x'.repeat(43) }).get('/api/Authenticate')).status).toBe(401)
  })

  it('keys win over a cookie: wrong keys beside a good session are refused', async () => {
    const answer = await signIn((await activated()).email)
    const mixed = service
      .client({ consumer: 'pbc_x', secretKey: 'pbs_x' })
      .with({ Cookie: cookieOf(answer), 'X-CSRF-Token': answer.body.csrfToken })
    expect((await mixed.get('/api/Authenticate')).status).toBe(401)
  })

  it('a person who reads a vault value leaves a row in the audit log; a program does not', async () => {
    const { id, email } = await activated()
    const signedIn = await signIn(email)
    const session = { Cookie: cookieOf(signedIn), 'X-CSRF-Token': signedIn.body.csrfToken }
    await service.manager.as(id).post(`/api/MyVaultSetGlobal/${id}/pin`, { jsonData: 1234 })
    const reads = () =>
      service.asOwner("select details from audit_log where action = 'vault.read' and account_id = $1", [id])
    await service.manager.as(id).get(`/api/MyVaultGetGlobal/${id}/pin`)
    expect(await reads()).toEqual([])
    const read = await visitor().with(session).get(`/api/MyVaultGetGlobal/${id}/pin`)
    expect([read.status, read.body]).toEqual([200, 1234])
    expect(await reads()).toEqual([{ details: { key: 'pin' } }])
  })

  it('sign-out ends the session, and only our own page can ask for it', async () => {
    const answer = await signIn((await activated()).email)
    const withCookie = visitor().with({ Cookie: cookieOf(answer) })
    expect((await withCookie.post('/api/SignOut')).status).toBe(401)
    expect((await withCookie.with({ 'X-CSRF-Token': answer.body.csrfToken }).post('/api/SignOut')).status).toBe(200)
    expect((await withCookie.get('/api/Session')).status).toBe(401)
  })

  it('unknown e-mail and wrong password are one same answer', async () => {
    const { email } = await activated()
    const wrong = await signIn(email, 'not the password')
    const unknown = await signIn(uniqueEmail())
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.text).toBe(unknown.text)
  })

  it('wrong passwords slow down and then lock password sign-in only; keys go on', async () => {
    const { email, id } = await activated()
    const key = (await service.manager.as(id).post('/api/ApiKey', {})).body
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, guess) => signIn(email, guess === 29 ? password : `guess number ${guess}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(20)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]?.body.errorMessage).toContain('Too many failed sign-ins')
    expect((await service.client(key).get('/api/Authenticate')).status).toBe(200)
    expect((await service.asOwner('select state from accounts where id = $1', [id]))[0]).toEqual({ state: 'active' })
    // It passes by itself.
    await eventually(async () => (await signIn(email)).status === 200)
  })

  it('wrong passwords count for all API processes together', async () => {
    const { email } = await activated()
    await using other = await service.startAnother({}, 'api')
    expect((await signIn(email, 'a first guess')).status).toBe(401)
    const counted = await service.asOwner(
      'update sign_in_attempts set failures = 9, blocked_until = now() returning failures',
    )
    expect(counted.length).toBeGreaterThan(0)
    expect((await signIn(email, 'the tenth guess')).status).toBe(401)
    const elsewhere = await other.client(undefined).post('/api/SignIn', { email, password })
    expect(elsewhere.status).toBe(429)
    expect(Number(elsewhere.headers.get('retry-after'))).toBeGreaterThan(600)
    await service.asOwner('update sign_in_attempts set blocked_until = now()')
    expect((await other.client(undefined).post('/api/SignIn', { email, password })).status).toBe(200)
    expect(await service.asOwner('select from sign_in_attempts where failures >= 10')).toEqual([])
  })

  it('a device that signed in before is not kept out by guesses from everywhere, and has its own few guesses', async () => {
    await using behind = await service.startAnother({ PATCHBAY_TRUSTED_PROXIES: '127.0.0.1' }, 'api')
    const { email } = await activated()
    const attempt = async (network: number, given: string, cookie = '') =>
      behind
        .client(undefined)
        .with({ 'X-Forwarded-For': `2001:db8:7:${network.toString(16)}::1`, cookie })
        .post('/api/SignIn', { email, password: given })
    const first = await attempt(1, password)
    expect(first.status, first.text).toBe(200)
    const device = first.headers.getSetCookie().find((cookie) => cookie.startsWith('patchbay_device=')) ?? ''
    expect(device).toMatch(/HttpOnly; SameSite=Strict/)
    const cookie = device.split(';')[0] ?? ''
    // A /48 has 65,536 networks to guess from: more than one password a second for as long as somebody likes.
    for (let no = 0; no < 3; no++) expect((await attempt(no + 10, `guess ${no}`)).status).toBe(401)
    await service.asOwner('update sign_in_rates set attempts_left = -1000')
    expect((await attempt(9, password)).status).toBe(429)
    expect((await attempt(9, password, cookie)).status).toBe(200)
    // The cookie of another person, or one that was made up, is none.
    const other = await activated()
    const foreign = await behind
      .client(undefined)
      .with({ 'X-Forwarded-For': '192.0.2.77' })
      .post('/api/SignIn', { email: other.email, password })
    expect(foreign.status).toBe(200)
    for (const wrong of [foreign.headers.getSetCookie()[1]?.split(';')[0] ?? '', `${cookie.slice(0, -1)}x`])
      expect((await attempt(9, password, wrong)).status).toBe(429)
    // Guesses with it are counted as those of one address are.
    await service.asOwner('delete from sign_in_attempts')
    expect((await attempt(1000, 'a first guess', cookie)).status).toBe(401)
    await service.asOwner('update sign_in_attempts set failures = 9, blocked_until = now()')
    expect((await attempt(1001, 'the tenth guess', cookie)).status).toBe(401)
    const locked = await attempt(1002, password, cookie)
    expect([locked.status, Number(locked.headers.get('retry-after')) > 600]).toEqual([429, true])
    await service.asOwner('delete from sign_in_rates')
  })

  it('the sign-in page works without scripts', async () => {
    const { email } = await activated()
    expect((await visitor().get('/signin')).text).toContain('<form method="post"')
    const wrong = await form('/signin', { email, password: 'wrong password' })
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([401, true])
    const right = await form('/signin', { email, password })
    expect(right.headers.get('location')).toBe('/')
    const session = await visitor()
      .with({ Cookie: cookieOf(right) })
      .get('/api/Session')
    expect(session.body.myAccount.email).toBe(email)
  })

  it('the old address of the sign-in page leads to the new one', async () => {
    const answer = await visitor().get('/sign-in')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/signin'])
  })

  it.each([
    ['/workflows?q=x', '/workflows?q=x'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['', '/'],
  ])('after sign-in one is where one wanted to go, and never on another site: %s', async (next, location) => {
    const { email } = await activated()
    expect((await form('/signin', { email, password, next })).headers.get('location')).toBe(location)
  })

  it('text from people is escaped on pages', async () => {
    const answer = await form('/activate', { token: '"><script>alert(1)</script>', password, repeated: password })
    expect(answer.text).not.toContain('<script>')
  })

  it('no token, password or cookie is in the log, and none is readable in the database', async () => {
    const { email, link } = await activated()
    const token = (await invite()).link.searchParams.get('token') ?? ''
    const session = cookieOf(await signIn(email)).split('=')[1] ?? ''
    const dump = JSON.stringify(
      await Promise.all(
        ['mails', 'account_links', 'sessions', 'accounts', 'audit_log'].map((table) =>
          service.asOwner(`select t::text from ${table} t`),
        ),
      ),
    )
    for (const secret of [token, link.searchParams.get('token') ?? '', session, password]) {
      expect(secret.length).toBeGreaterThan(10)
      expect(service.logText()).not.toContain(secret)
      expect(dump).not.toContain(secret)
      expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

describe('mail', () => {
  it('waits in the outbox while no SMTP is configured and goes out once it is', async () => {
    await using service = await startService()
    const email = uniqueEmail()
    await service.manager.post('/api/Account', { email, firstName: 'Wanda', lastName: 'Waiting', roleName: 'User' })
    expect(await service.asOwner('select status, recipients from mails')).toEqual([
      { status: 'Held', recipients: [email] },
    ])
    await using smtp = await startSmtpPeer()
    await using _withMail = await service.startAnother({ PATCHBAY_SMTP_URL: smtp.url })
    await eventually(() => smtp.received.some((mail) => mail.to.includes(email)))
    await eventually(async () => (await service.asOwner('select status from mails'))[0]?.['status'] === 'Sent')
    expect(smtp.received).toHaveLength(1)
  })

  it('is tried again when the mail server refuses for a while', async () => {
    let isDown = true
    await using smtp = await startSmtpPeer(() => isDown)
    await using service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
    await service.manager.post('/api/Account', {
      email: uniqueEmail(),
      firstName: 'Rita',
      lastName: 'Retry',
      roleName: 'User',
    })
    await eventually(
      async () => ((await service.asOwner('select attempts from mails'))[0]?.['attempts'] as number) >= 1,
    )
    isDown = false
    await eventually(async () => (await service.asOwner('select status from mails'))[0]?.['status'] === 'Sent')
    expect(smtp.received).toHaveLength(1)
  })
})
