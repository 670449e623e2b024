// What breaks a connection, and what never does.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

let service: TestService
let target: HttpTarget
let user: Client
let idOf: (shortName: string) => string

beforeAll(async () => {
  service = await joinService()
  target = await startHttpTarget()
  const all = (await service.manager.get('/api/Applications')).body as { id: string; shortName: string }[]
  idOf = (shortName) => all.find((one) => one.shortName.toUpperCase() === shortName)!.id
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
})
beforeEach(async () => {
  user = (await createAccount(service, service.manager, 'User')).client
  target.answer = () => ({ json: [] })
})

const fault = async () => (await user.post('/api/RegApplications', {})).body.regApplications[0]

async function register(shortName: string, credentials: object): Promise<string> {
  const body = { applicationId: idOf(shortName), credentialsJson: JSON.stringify(credentials) }
  const answer = await user.post('/api/RegApplication', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Has a test request. */
const registerShop = () =>
  register('WOOCOMMERCE', { storeUrl: target.origin, consumerKey: 'ck', consumerSecret: 'cs_canary_secret' })
/** Has none. */
const registerHttp = () => register('HTTP', { baseUrl: target.origin, authType: 'bearer', token: 'token-canary' })

describe('a 403', () => {
  it('faults only when the test request, made at once, is refused too', async () => {
    await registerShop()
    const isTest = (url: string) => !url.includes('/refunds')
    target.answer = ({ url }) => (isTest(url) ? { json: [] } : { status: 403, body: 'no refunds for you' })
    target.received.length = 0
    expect((await user.get('/api/ApiGet?url=woocommerce/refunds')).status).toBe(400)
    expect(target.received.map(({ url }) => isTest(url))).toEqual([false, true])
    expect(await fault()).toMatchObject({ isFaulted: false })

    target.answer = ({ url }) => ({ status: 403, body: isTest(url) ? 'key revoked' : 'no refunds for you' })
    expect((await user.get('/api/ApiGet?url=woocommerce/refunds')).status).toBe(400)
    expect(await fault()).toMatchObject({ isFaulted: true, faultMessage: expect.stringContaining('key revoked') })
  })

  it('asks the test request once for calls that are refused in the same moment', async () => {
    await registerShop()
    const held = Promise.withResolvers<{ json: unknown }>()
    let tests = 0
    let refused = 0
    target.answer = ({ url }) => {
      if (url.includes('/refunds')) {
        refused++
        return { status: 403 }
      }
      tests++
      return held.promise
    }
    const calls = Array.from({ length: 6 }, () => user.get('/api/ApiGet?url=woocommerce/refunds'))
    await expect.poll(() => refused).toBe(6)
    held.resolve({ json: [] })
    await Promise.all(calls)
    expect(tests).toBeLessThan(6)
  })

  it('of an application without a test request is the matter of that call alone', async () => {
    await registerHttp()
    target.answer = () => ({ status: 403 })
    expect((await user.get('/api/ApiGet?url=http/x')).status).toBe(400)
    expect(await fault()).toMatchObject({ isFaulted: false })
  })
})

describe('a 401', () => {
  it('faults at once where there is nothing to renew', async () => {
    await registerHttp()
    target.answer = () => ({ status: 401, body: 'bad token-canary' })
    expect((await user.get('/api/ApiGet?url=http/x')).status).toBe(400)
    const faulted = await fault()
    expect(faulted).toMatchObject({ isFaulted: true })
    expect(faulted.faultMessage).not.toContain('token-canary')
  })
})

it.each([401, 403])('a %i that the caller named in responseCodes says nothing', async (status) => {
  await registerShop()
  target.answer = () => ({ status, json: { status } })
  const call = { verb: 'GET', requestUrl: 'refunds', responseCodes: [200, status] }
  const answer = await user.post('/api/ApiSend/woocommerce?newVersion=true', call)
  expect(answer.body).toMatchObject({ statusCode: status })
  const script = `return (await api.send('WOOCOMMERCE', ${JSON.stringify(call)}, true)).statusCode`
  const { id } = await deployWorkflow(user, [script], { applications: { WOOCOMMERCE: (await fault()).id } })
  expect(await runToEnd(user, id)).toMatchObject({ status: 'Ready' })
  expect(await fault()).toMatchObject({ isFaulted: false })
})

it.each([429, 500, 503])('a %i never faults, and does not clear a fault either', async (status) => {
  await registerShop()
  target.answer = () => ({ status })
  await user.get('/api/ApiGet?url=woocommerce/refunds')
  expect(await fault()).toMatchObject({ isFaulted: false })
  target.answer = () => ({ status: 401 })
  await user.get('/api/ApiGet?url=woocommerce/refunds')
  target.answer = () => ({ status })
  await user.get('/api/ApiGet?url=woocommerce/refunds')
  expect(await fault()).toMatchObject({ isFaulted: true })
})

it('a target that gives no answer never faults', async () => {
  await registerShop()
  target.answer = (_request, response) => {
    response.socket?.destroy()
    return undefined
  }
  expect((await user.get('/api/ApiGet?url=woocommerce/refunds')).status).toBe(400)
  expect(await fault()).toMatchObject({ isFaulted: false })
})

it('a refused private address is named in the log, with the setting that would allow it, and nowhere else', async () => {
  await register('HTTP', { baseUrl: 'http://10.20.30.40:8089', authType: 'none' })
  const answers = [await user.get('/api/ApiGet?url=http/x'), await user.get('/api/ApiGet?url=http/y')]
  for (const { body } of answers) {
    expect(body.errorMessage).toBe('The address http://10.20.30.40:8089 could not be reached.')
  }
  const told = service
    .logText()
    .split('\n')
    .filter((line) => line.includes('add 10.20.30.40:8089 to PATCHBAY_EGRESS_ALLOW'))
  expect(told).toHaveLength(1)
  expect(JSON.parse(told[0]!)).toMatchObject({ level: 40, address: '10.20.30.40', target: '10.20.30.40:8089' })
})
