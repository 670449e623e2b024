// Accounts by those who look after them: finding, changing, inviting again; and a password that was forgotten.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization, uniqueEmail } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { behindLock } from '../harness/held-lock.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'

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

const nobody = '00000000-0000-4000-8000-000000000000'
const password = 'correct horse battery'
const visitor = () => service.client(undefined)
const form = (path: string, fields: Record<string, string>) =>
  visitor().send('POST', path, new URLSearchParams(fields).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
  })
const invite = async (creator = service.manager) => {
  const email = uniqueEmail()
  const person = { email, firstName: 'Ivy', lastName: 'Invited', roleName: 'User' }
  return { email, id: (await creator.post('/api/Account', person)).body as string }
}
const mailsTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email))
/** The link of the so manieth mail to an address. */
const linkTo = async (email: string, count = 1) => {
  const mail = await eventually(() => mailsTo(email)[count - 1])
  const text = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return new URL(text.match(/https?:\/\/\S+/)?.[0] ?? '')
}
const setPassword = (link: URL) =>
  form(link.pathname, { token: link.searchParams.get('token') ?? '', password, repeated: password })
const signIn = (email: string, secret = password) => visitor().post('/api/SignIn', { email, password: secret })
const stateOf = async (id: string) => (await service.asOwner('select state from accounts where id = $1', [id]))[0]

describe('ManagedAccounts', () => {
  it('lists for each role those it may act for, itself included', async () => {
    const partner = await createAccount(service, service.manager, 'DevPartner')
    await service.manager.post(`/api/AccountUpdate/${partner.id}`, { canActivateAccounts: true })
    const made = await eventually(() => createAccount(service, partner.client, 'User'))
    const other = await createAccount(service, service.manager, 'User')
    const superPartner = await createAccount(service, service.manager, 'SuperPartner')
    const idsOf = async (client: typeof partner.client) => {
      const { status, body } = await client.post('/api/ManagedAccounts', { size: 1000 })
      expect([status, body.total]).toEqual([200, body.accounts.length])
      return body.accounts.map(({ id }: { id: string }) => id)
    }
    expect((await idsOf(partner.client)).sort()).toEqual([partner.id, made.id].sort())
    expect(await idsOf(made.client)).toEqual([made.id])
    expect(await idsOf(superPartner.client)).toEqual(expect.arrayContaining([partner.id, made.id, other.id]))
    expect(await idsOf(service.manager)).toEqual(expect.arrayContaining([partner.id, service.firstAccount.accountId]))
    // Also while it acts for another.
    expect((await idsOf(partner.client.as(made.id))).sort()).toEqual([partner.id, made.id].sort())
  })
  it('searches and pages like the list of accounts, and shows no other organization', async () => {
    const { manager } = await createOrganization(service)
    const account = await createAccount(service, manager, 'User')
    await manager.post(`/api/AttributeTagAdd/account/${account.id}`, { value: 'blue' })
    const found = await manager.post('/api/ManagedAccounts', {
      page: 0,
      size: 1,
      searchTerm: account.email.toUpperCase(),
      accountState: ['Active'],
      tags: ['blue'],
    })
    expect(found.body).toEqual({
      accounts: [expect.objectContaining({ id: account.id, email: account.email, accountState: 'active' })],
      total: 1,
    })
    expect((await manager.post('/api/ManagedAccounts', {})).body.total).toBe(2)
    expect((await manager.post('/api/ManagedAccounts', { size: 1001 })).status).toBe(400)
  })
})

describe('AccountUpdate', () => {
  it('changes what is given, nothing else, and is audited', async () => {
    const { manager } = await createOrganization(service)
    const account = await createAccount(service, manager, 'User')
    const changed = await manager.post(`/api/AccountUpdate/${account.id}`, {
      firstName: 'Grace',
      roleName: 'devpartner',
    })
    expect([changed.status, changed.text]).toEqual([200, ''])
    const [listed] = (await manager.post('/api/Accounts', { searchTerm: account.email })).body.accounts
    expect(listed).toMatchObject({ firstName: 'Grace', lastName: 'Test', role: 'DevPartner' })
    await manager.post(`/api/AccountUpdate/${account.id}`, { lastName: 'Hopper', countryKey: 'us' })
    expect(
      (await service.asOwner('select first_name, last_name, country_key from accounts where id = $1', [account.id]))[0],
    ).toEqual({ first_name: 'Grace', last_name: 'Hopper', country_key: 'US' })
    const rows = (await manager.post('/api/GetAuditLog', { size: 10 })).text
    expect(rows.match(/account\.changed/g)).toHaveLength(2)
  })
  it('gives and takes the permission to activate accounts, which counts at once', async () => {
    const { manager } = await createOrganization(service)
    const second = await createAccount(service, manager, 'SuperPartner')
    await manager.post(`/api/AccountUpdate/${second.id}`, { roleName: 'Manager' })
    const { id } = await invite(manager)
    const activate = () => second.client.post(`/api/AccountState/${id}`, { accountState: 'active' })
    await eventually(async () => (await activate()).status === 400)
    // Who does not have it cannot take it.
    const own = await second.client.post(`/api/AccountUpdate/${second.id}`, { canActivateAccounts: true })
    expect([own.status, own.body.errorMessage]).toEqual([400, expect.stringContaining('canActivateAccounts')])
    await manager.post(`/api/AccountUpdate/${second.id}`, { canActivateAccounts: true })
    await eventually(async () => (await activate()).status === 200)
    await manager.post(`/api/AccountUpdate/${second.id}`, { canActivateAccounts: false })
    const person = () => ({ email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User', activated: true })
    await eventually(async () => (await second.client.post('/api/Account', person())).status === 400)
  })
  it('never takes the role of the last active Manager away', async () => {
    const { manager, accountId } = await createOrganization(service)
    const demote = (id: string, by = manager) => by.post(`/api/AccountUpdate/${id}`, { roleName: 'User' })
    expect((await demote(accountId)).status).toBe(400)
    const second = await createAccount(service, manager, 'User')
    await manager.post(`/api/AccountUpdate/${second.id}`, { roleName: 'Manager' })
    // Each takes the other's role at the same moment: one of them stays.
    await eventually(async () => (await second.client.get('/api/Accounts')).status === 200)
    const both = await Promise.all([demote(second.id), demote(accountId, second.client)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })
  it('leaves one Manager when two archive each other at the same moment', async () => {
    const { manager, accountId } = await createOrganization(service)
    const second = await createAccount(service, manager, 'User')
    await manager.post(`/api/AccountUpdate/${second.id}`, { roleName: 'Manager' })
    await eventually(async () => (await second.client.get('/api/Accounts')).status === 200)
    // Both requests are past their check of who calls when the first of them can go on.
    const archive = (id: string, by = manager) => by.post(`/api/AccountState/${id}`, { accountState: 'archived' })
    const lock = {
      statement: 'select from accounts where id = any($1) for update',
      values: [[accountId, second.id]],
    }
    const both = await behindLock(service, lock, [() => archive(second.id), () => archive(accountId, second.client)])
    const [refused] = both.filter(({ status }) => status !== 200)
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(refused?.body.errorMessage).toBe('This is the last active Manager of the organization.')
  })
  it('refuses an unknown role, an unknown account, one of another organization, and everybody below Manager', async () => {
    const { manager, accountId } = await createOrganization(service)
    const partner = await createAccount(service, service.manager, 'SuperPartner')
    const update = (id: string, body: object, by = service.manager) => by.post(`/api/AccountUpdate/${id}`, body)
    expect((await update(partner.id, { roleName: 'King' })).status).toBe(400)
    expect((await update(partner.id, { firstName: '' })).status).toBe(400)
    expect((await update(partner.id, { countryKey: 'USA' })).status).toBe(400)
    expect((await update(partner.id, { email: 'new@example.com' })).status).toBe(400)
    expect((await update(nobody, { firstName: 'A' })).status).toBe(404)
    expect((await update(accountId, { firstName: 'A' })).status).toBe(404)
    expect((await update(partner.id, { firstName: 'A' }, partner.client)).status).toBe(403)
    expect((await manager.get('/api/Authenticate')).status).toBe(200)
  })
})

describe('ResendActivation', () => {
  it('mails a new link, and the old one stops working', async () => {
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const { id, email } = await invite(partner.client)
    const first = await linkTo(email)
    const again = await partner.client.post(`/api/ResendActivation/${id}`)
    expect([again.status, again.text]).toEqual([200, ''])
    const second = await linkTo(email, 2)
    expect((await setPassword(first)).status).toBe(404)
    expect((await setPassword(second)).status).toBe(303)
    expect(await stateOf(id)).toEqual({ state: 'active' })
    const late = await partner.client.post(`/api/ResendActivation/${id}`)
    expect([late.status, late.body.errorMessage]).toEqual([400, expect.stringContaining('active')])
  })
  it('is 404 for an account that the caller may not act for', async () => {
    const { id } = await invite()
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const { manager } = await createOrganization(service)
    for (const by of [partner.client, manager])
      for (const wanted of [id, nobody]) expect((await by.post(`/api/ResendActivation/${wanted}`)).status).toBe(404)
    expect((await service.manager.post(`/api/ResendActivation/${id}`)).status).toBe(200)
  })
  it('does not fill a mailbox', async () => {
    const { id } = await invite()
    const statuses = []
    for (let count = 0; count < 6; count++)
      statuses.push((await service.manager.post(`/api/ResendActivation/${id}`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

describe('/forgot-password', () => {
  it('mails a link that sets a new password once and ends what the old one began', async () => {
    const { email, id } = await invite()
    await setPassword(await linkTo(email))
    const session = await signIn(email)
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await form('/forgot-password', { email: email.toUpperCase() })).status).toBe(200)
    const link = await linkTo(email, 2)
    expect(link.href.startsWith(`${service.baseUrl}/set-password?token=`)).toBe(true)
    const chosen = 'another horse battery'
    const token = link.searchParams.get('token') ?? ''
    expect((await form('/set-password', { token, password: chosen, repeated: chosen })).status).toBe(303)
    expect((await setPassword(link)).status).toBe(404)
    expect((await signIn(email, chosen)).status).toBe(200)
    expect((await signIn(email)).status).toBe(401)
    expect((await visitor().with({ Cookie: cookie }).get('/api/Session')).status).toBe(401)
    expect(await stateOf(id)).toEqual({ state: 'active' })
  })
  it.each(['first', 'second'])(
    'ends a sign-in with the old password that comes %s at the same moment',
    async (place) => {
      const { email, id } = await invite()
      await setPassword(await linkTo(email))
      await form('/forgot-password', { email })
      const token = (await linkTo(email, 2)).searchParams.get('token') ?? ''
      const chosen = 'another horse battery'
      const reset = () => form('/set-password', { token, password: chosen, repeated: chosen })
      const lock = { statement: 'select from accounts where id = $1 for update', values: [id] }
      const begin = [() => signIn(email), reset]
      const answers = await behindLock(service, lock, place === 'first' ? begin : begin.reverse())
      const signedIn = answers[place === 'first' ? 0 : 1]
      const cookie = signedIn?.headers.get('set-cookie')?.split(';')[0] ?? ''
      expect((await visitor().with({ Cookie: cookie }).get('/api/Session')).status).toBe(401)
      expect(await service.asOwner('select from sessions where account_id = $1', [id])).toHaveLength(1)
    },
  )
  it('expires after an hour', async () => {
    const { email, id } = await invite()
    await setPassword(await linkTo(email))
    await form('/forgot-password', { email })
    await linkTo(email, 2)
    const [row] = await service.asOwner(
      "select expires_at between now() + interval '59 minutes' and now() + interval '1 hour' as soon from account_links where account_id = $1",
      [id],
    )
    expect(row).toEqual({ soon: true })
  })
  it('answers the same for every address, and mails only those that can sign in', async () => {
    const { email: invited } = await invite()
    await linkTo(invited)
    const locked = await createAccount(service, service.manager, 'User')
    await service.manager.post(`/api/AccountState/${locked.id}`, { accountState: 'locked' })
    // Its invitation.
    const before = await eventually(() => mailsTo(locked.email).length || undefined)
    const answers = []
    for (const email of [invited, locked.email, uniqueEmail(), 'no address', 'a\0b@example.com', ''])
      answers.push(await form('/forgot-password', { email }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    // One that was never activated gets its invitation again.
    expect((await linkTo(invited, 2)).pathname).toBe('/activate')
    expect(mailsTo(locked.email)).toHaveLength(before)
  })
  it('does not fill a mailbox, and says nothing of it', async () => {
    const { email } = await invite()
    const statuses = []
    for (let count = 0; count < 7; count++) statuses.push((await form('/forgot-password', { email })).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    await eventually(() => mailsTo(email).length === 6)
    expect(await service.asOwner('select count(*)::integer from mails where $1 = any(recipients)', [email])).toEqual([
      { count: 6 },
    ])
  })
})
