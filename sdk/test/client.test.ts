import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noContent } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, PatchbayError } from '../src/index.ts'

type Seen = { method: string | undefined; url: string | undefined; headers: Record<string, unknown>; body: string }

describe('the typed client', () => {
  const seen: Seen[] = []
  let reply = { status: 200, body: 'true' }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    response.writeHead(reply.status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r1' }).end(reply.body)
  })
  let baseUrl = ''
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((done) => server.close(done)))
  const client = () => createClient({ baseUrl, keys: { consumer: 'c', secretKey: 's' }, managedAccountId: 'm' })

  it('puts keys and the managed account into headers, parameters into the path, bodies into JSON', async () => {
    reply = { status: 200, body: 'true' }
    expect(await client().call('DeleteApiKey', { params: { id: 'a/b' } })).toBe(true)
    expect(seen.at(-1)).toMatchObject({
      method: 'GET',
      url: '/api/DeleteApiKey/a%2Fb',
      headers: { consumer: 'c', secretkey: 's', managedaccountid: 'm' },
    })
    reply = { status: 200, body: '{"id":"i","consumer":"c","secretKey":"s"}' }
    expect((await client().call('ApiKeyCreate', { body: { label: 'x' } })).consumer).toBe('c')
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: '{"label":"x"}' })
    await client().call('Describe', { query: { name: 'ClientListApiDto' } })
    expect(seen.at(-1)?.url).toBe('/api/Describe?name=ClientListApiDto')
  })

  it('sends forms as forms, whether they are ready or given as fields', async () => {
    reply = { status: 200, body: '"00000000-0000-4000-8000-000000000000"' }
    const files = [new File(['one'], 'a.txt', { type: 'text/plain' }), new File(['two'], 'b.bin')]
    const fields = { notificationEmail: 'anna@example.com', bodyIsHtml: false, expiresInDays: 3 }
    await client().call('ProxySecureUpload', { body: { ...fields, files } })
    const ready = new FormData()
    ready.append('notificationEmail', 'anna@example.com')
    ready.append('files', files[0] as File)
    await client().call('ProxySecureUpload', { body: ready })
    const [given, whole] = await Promise.all(
      seen.slice(-2).map(({ headers, body }) => {
        expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
        return new Response(body, { headers: { 'Content-Type': String(headers['content-type']) } }).formData()
      }),
    )
    expect([given?.get('notificationEmail'), given?.get('bodyIsHtml'), given?.get('expiresInDays')]).toEqual([
      'anna@example.com',
      'false',
      '3',
    ])
    const received = (given?.getAll('files') ?? []) as File[]
    expect(received.map(({ name }) => name)).toEqual(['a.txt', 'b.bin'])
    expect(await Promise.all(received.map((file) => file.text()))).toEqual(['one', 'two'])
    expect(whole?.get('files')).toMatchObject({ name: 'a.txt' })
  })

  it('answers undefined for an empty body and noContent for 204', async () => {
    reply = { status: 200, body: '' }
    expect(await client().call('ApiKeyUpdate', { params: { id: 'a' }, body: {} })).toBeUndefined()
    reply = { status: 204, body: '' }
    expect(await client().call('ApiKeys', {})).toBe(noContent)
  })

  it('throws a refusal with status, sentence, response and request id', async () => {
    reply = { status: 400, body: '{"code":400,"errorMessage":"No.","response":{"statusCode":418}}' }
    const error = await client()
      .call('ApiKeys', {})
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(PatchbayError)
    expect(error).toMatchObject({ status: 400, message: 'No.', response: { statusCode: 418 }, requestId: 'r1' })
    reply = { status: 502, body: '<html>' }
    expect(
      await client()
        .call('ApiKeys', {})
        .catch((thrown) => thrown),
    ).toMatchObject({ status: 502, message: '<html>' })
  })
})
