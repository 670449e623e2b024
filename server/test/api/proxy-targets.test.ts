import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { useProxySample } from '../harness/proxy-sample.ts'
import { startService, type TestService } from '../harness/service.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const sample = useProxySample()
const { register, send, get } = sample

describe('credentials stay with the hosts of the application', () => {
  it.each(['srv', 'baseUrl'])('%s may name another path on them', async (kind) => {
    await register({ authType: 'bearer', token: 'a-token-1' })
    const base = `${sample.target.origin}/v2/`
    const answer =
      kind === 'srv'
        ? await sample.user.get(`/api/ApiGet?url=http/x&srv=${encodeURIComponent(base)}`)
        : await send({ verb: 'GET', requestUrl: '/x', baseUrl: base })
    expect(answer.body).toMatchObject({ url: '/v2/x', headers: { authorization: 'Bearer a-token-1' } })
  })

  it('a foreign host is 400 and never called', async () => {
    await using foreign = await startHttpTarget()
    await register({ authType: 'bearer', token: 'a-token-1' })
    const own = new URL(sample.target.origin)
    for (const base of [
      foreign.origin,
      `http://localhost:${new URL(foreign.origin).port}`,
      `${sample.target.origin}.evil.example`,
      `http://${own.host}@${new URL(foreign.origin).host}`,
      'ftp://127.0.0.1',
      'nonsense',
    ]) {
      expect((await send({ verb: 'GET', requestUrl: 'x', baseUrl: base })).status, base).toBe(400)
      const srv = await sample.user.get(`/api/ApiGet?url=http/x&srv=${encodeURIComponent(base)}`)
      expect(srv.status, base).toBe(400)
    }
    expect((await send({ verb: 'GET', requestUrl: `${foreign.origin}/x` })).status).toBe(400)
    for (const path of ['//evil.example/x', '@evil.example', '\\\\evil.example', '../../..//x']) {
      await send({ verb: 'GET', requestUrl: path })
    }
    expect(foreign.received).toEqual([])
    expect(sample.target.received.every(({ headers }) => headers.host === own.host)).toBe(true)
  })

  it('a whole address on its own host is called, as pages of a list give it', async () => {
    await register()
    expect((await send({ verb: 'GET', requestUrl: `${sample.target.origin}/v1/orders?page=2` })).body.url).toBe(
      '/v1/orders?page=2',
    )
  })

  it('redirects within the origin keep credentials, to another they lose them', async () => {
    await using foreign = await startHttpTarget(sample.tell)
    await register({ authType: 'header', headerName: 'X-Api-Key', headerValue: 'key-canary-1' })
    sample.target.answer = (request) =>
      request.url === '/v1/near'
        ? { status: 302, headers: { location: '/v1/there' } }
        : request.url === '/v1/far'
          ? { status: 302, headers: { location: `${foreign.origin}/there` } }
          : sample.tell(request, undefined as never)
    expect((await get('http/near')).body).toMatchObject({
      url: '/v1/there',
      headers: { 'x-api-key': 'key-canary-1' },
    })
    expect((await get('http/far')).body.headers['x-api-key']).toBeUndefined()
    expect(foreign.received).toHaveLength(1)
  })

  it("the application's credentials win over a header of the caller", async () => {
    await register({ authType: 'bearer', token: 'the-real-token' })
    const answer = await send({ verb: 'GET', requestUrl: 'x', headers: { AUTHORIZATION: 'Bearer other' } })
    expect(answer.body.headers.authorization).toBe('Bearer the-real-token')
  })
})

describe('targets that misbehave', () => {
  it('a redirect loop is 400 with a sentence', async () => {
    await register()
    sample.target.answer = () => ({ status: 302, headers: { location: '/v1/again' } })
    const answer = await get('http/again')
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ errorMessage: expect.stringContaining('redirects'), response: null })
    expect(sample.target.received.length).toBeLessThanOrEqual(6)
  })

  it('a flood is 400 with a sentence, also when it is compressed', async () => {
    await register()
    const flood = gzipSync(Buffer.alloc(40 * 1024 * 1024))
    sample.target.answer = () => ({ headers: { 'content-encoding': 'gzip' }, body: flood })
    const answer = await get('http/x')
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('exceeds the limit')
  })

  it('a connection that breaks off is 400 with a sentence', async () => {
    await register()
    sample.target.answer = (_request, response) => {
      response.socket?.destroy()
      return undefined
    }
    const answer = await get('http/x')
    expect([answer.status, answer.body.response]).toEqual([400, null])
  })

  it('JSON that is nested without end is text, and is not sent', async () => {
    await register()
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    sample.target.answer = () => ({ body: deep })
    expect((await get('http/x')).body).toBe(deep)
    sample.target.answer = () => ({ status: 500, body: deep })
    expect((await get('http/x')).status).toBe(400)
    const sent = await sample.user.send('POST', '/api/ApiPost?url=http/x', `{"jsonData":${deep}}`)
    expect(sent.status).toBe(400)
  })

  it('what one process is told about patience, the others keep to', async () => {
    await using second = await sample.service.startAnother({}, 'api')
    const id = await register()
    let toldAt = 0
    sample.target.answer = () => {
      if (toldAt > 0) return { json: {} }
      toldAt = performance.now()
      return { status: 429, headers: { 'retry-after': '2' } }
    }
    const first = get('http/x')
    const isLearnt = async () => {
      const learnt = 'select from registered_applications where id = $1 and quiet_until is not null'
      return (await sample.service.asOwner(learnt, [id])).length > 0
    }
    await eventually(isLearnt)
    expect((await get('http/x', second.client(sample.user.keys))).status).toBe(200)
    expect(performance.now() - toldAt).toBeGreaterThan(1900)
    expect((await first).status).toBe(200)
    expect(sample.target.received).toHaveLength(3)
  })

  it('Retry-After is waited for', async () => {
    await register()
    let asked = 0
    sample.target.answer = () =>
      ++asked === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { json: { asked } }
    expect((await get('http/x')).body).toEqual({ asked: 2 })
  })
})

describe('without an allowance for loopback', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_EGRESS_ALLOW: '' } })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('no spelling of a local address is called', async () => {
    await using target = await startHttpTarget()
    const { port } = new URL(target.origin)
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.1',
      '0.0.0.0',
    ]) {
      const { client } = await createAccount(service, service.manager, 'User')
      const credentialsJson = JSON.stringify({ baseUrl: `http://${host}:${port}` })
      expect((await client.post('/api/RegApplication', { applicationId: http, credentialsJson })).status).toBe(200)
      const answer = await client.get('/api/ApiGet?url=http/x')
      expect([host, answer.status]).toEqual([host, 400])
      expect(answer.body.errorMessage).toContain('could not be reached')
    }
    expect(target.received).toEqual([])
  })
})
