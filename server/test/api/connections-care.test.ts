import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { type OAuthProvider, startOAuthProvider, tokenPath } from '../harness/oauth-provider.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'

const shop = 'd67d072b-d997-5cbf-83c0-58e1808cf07a'
const oauth2 = '79232e5e-3a65-505e-9ce0-69887e8819ac'

describe('connections are looked after', () => {
  let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
  let service: TestService
  let provider: OAuthProvider
  let target: HttpTarget
  let user: Client
  let email: string

  beforeAll(async () => {
    smtp = await startSmtpPeer()
    service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
    provider = await startOAuthProvider(`${service.baseUrl}/oauth/callback`)
    target = await startHttpTarget()
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    const made = await createAccount(service, service.manager, 'User')
    user = made.client
    email = made.email
    target.received.length = 0
    target.answer = () => ({ json: [] })
    provider.tokenCalls.length = 0
  })

  const item = async () => (await user.post('/api/RegApplications', {})).body.regApplications[0]
  const makeDue = (id: string) =>
    service.asOwner('update registered_applications set next_check_at = now() where id = $1', [id])
  const mails = () =>
    smtp.received.filter((mail) => mail.to.includes(email) && mail.source.includes('needs your attention'))

  async function registerShop(): Promise<string> {
    const credentials = { storeUrl: target.origin, consumerKey: 'ck', consumerSecret: 'cs_canary_secret' }
    const body = { applicationId: shop, tagText: 'main shop', credentialsJson: JSON.stringify(credentials) }
    return (await user.post('/api/RegApplication', body)).body
  }

  async function registerOAuth(): Promise<string> {
    const credentials = {
      baseUrl: `${provider.issuer}/v1.0`,
      authorizationUrl: `${provider.issuer}/auth`,
      tokenUrl: `${provider.issuer}${tokenPath}`,
      clientId: provider.client.id,
      clientSecret: provider.client.secret,
      scopes: 'openid orders',
    }
    const body = { applicationId: oauth2, credentialsJson: JSON.stringify(credentials) }
    const { body: url } = await user.post('/api/RegApplication', body)
    expect((await fetch(await provider.visit(url))).status).toBe(200)
    return (await item()).id
  }

  it('a check is due within a minute of registration and after each check', async () => {
    const id = await registerShop()
    const dueInSeconds = async () => {
      const [row] = await service.asOwner(
        'select extract(epoch from next_check_at - now())::float8 as due from registered_applications where id = $1',
        [id],
      )
      return row?.['due'] as number
    }
    expect(await dueInSeconds()).toBeLessThan(55)
    const before = target.received.length
    await makeDue(id)
    await eventually(() => target.received.length > before)
    await eventually(async () => (await dueInSeconds()) < 55 && (await dueInSeconds()) > 10)
  })

  it('a key that was revoked is found by a probe, mailed once, and found sound again', async () => {
    const id = await registerShop()
    target.answer = () => ({ status: 401, json: { message: 'key revoked', key: 'cs_canary_secret' } })
    await makeDue(id)
    await eventually(async () => (await item()).isFaulted)
    const mail = await eventually(() => mails()[0])
    expect(mail.source).toContain('main shop')
    expect(mail.source).toContain('/reconnect?token=3Dpbr_')
    expect(mail.source).not.toContain('cs_canary_secret')
    expect((await item()).faultMessage).toContain('key revoked')

    // A check that is just ending sets the time of the next one, so being due is said until it is heard.
    const probes = target.received.length
    await eventually(async () => {
      await makeDue(id)
      return target.received.length > probes
    })
    target.answer = () => ({ json: [] })
    await eventually(async () => {
      await makeDue(id)
      return !(await item()).isFaulted
    })
    expect(mails()).toHaveLength(1)
    const rows = await service.asOwner('select action from audit_log where target = $1 order by id', [id])
    expect(rows.map((row) => row['action'])).toEqual([
      'registeredApplication.created',
      'registeredApplication.faulted',
      'registeredApplication.recovered',
    ])
  })

  it('an unreachable target is no fault of the credentials', async () => {
    const id = await registerShop()
    target.answer = (_request, response) => {
      response.socket?.destroy()
      return undefined
    }
    const before = target.received.length
    await makeDue(id)
    await eventually(() => target.received.length > before)
    await eventually(async () => {
      const [row] = await service.asOwner(
        "select next_check_at > now() + interval '10 seconds' and next_check_at < now() + interval '1 minute' as is_checked from registered_applications where id = $1",
        [id],
      )
      return row?.['is_checked'] === true
    })
    expect((await item()).isFaulted).toBe(false)
  })

  it('a token is renewed ahead of its end, so that calls need not wait for it', async () => {
    const id = await registerOAuth()
    await service.asOwner(
      "update connection_tokens set obtained_at = now() - interval '57 minutes', expires_at = now() + interval '3 minutes' where registered_application_id = $1",
      [id],
    )
    await makeDue(id)
    await eventually(() => provider.tokenCalls.some((call) => call.grantType === 'refresh_token'))
    await eventually(async () => {
      const [row] = await service.asOwner(
        "select expires_at > now() + interval '50 minutes' as is_new from connection_tokens where registered_application_id = $1",
        [id],
      )
      return row?.['is_new'] === true
    })
    expect((await user.get('/api/ApiGet?url=oauth2/x')).status).toBe(200)
    expect(provider.tokenCalls.filter((call) => call.grantType === 'refresh_token')).toHaveLength(1)
  })

  it('a provider that refused to renew a token is asked again, although the token is not at its end', async () => {
    const id = await registerOAuth()
    await service.asOwner(
      "update registered_applications set fault_message = 'refused', fault_source = 'token', faulted_at = now() where id = $1",
      [id],
    )
    await makeDue(id)
    await eventually(async () => !(await item()).isFaulted)
    expect(provider.tokenCalls.filter((call) => call.grantType === 'refresh_token')).toHaveLength(1)
  })

  it('the mailed link leads back to the provider and makes the connection sound', async () => {
    const id = await registerOAuth()
    await provider.revokeGrants()
    await service.asOwner(
      "update connection_tokens set obtained_at = now() - interval '1 hour', expires_at = now() - interval '1 minute' where registered_application_id = $1",
      [id],
    )
    await makeDue(id)
    await eventually(async () => (await item()).isFaulted)
    const mail = await eventually(() => mails()[0])
    const text = mail.source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
    const link = new URL(/http\S+\/reconnect\?token=[\w-]+/.exec(text)?.[0] ?? '')
    expect(link.origin).toBe(service.baseUrl)

    const looked = await (await fetch(link)).text()
    expect(looked).toContain('invalid_grant')
    expect(looked).toContain('<form method="post" action="/reconnect">')
    const form = { method: 'POST', body: new URLSearchParams({ token: link.searchParams.get('token') ?? '' }) }
    const went = await (await fetch(`${service.baseUrl}/reconnect`, form)).text()
    const url = /href="([^"]+\/auth\?[^"]+)"/.exec(went)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await fetch(await provider.visit(url))).status).toBe(200)
    expect(await item()).toMatchObject({ id, isFaulted: false, isAuthenticated: true })
    expect((await user.get('/api/ApiGet?url=oauth2/x')).status).toBe(200)
  })

  it('a link that is unknown or expired says so', async () => {
    await service.asOwner("update reconnect_links set expires_at = now() - interval '1 second'")
    for (const token of ['', 'x', 'pbr_'.padEnd(53, 'A')]) {
      expect((await fetch(`${service.baseUrl}/reconnect?token=${token}`)).status).toBe(404)
    }
  })
})
