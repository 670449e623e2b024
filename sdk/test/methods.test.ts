import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@patchbay/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { renderMethods, renderRoutes } from '../build/write-methods.ts'
import { ConnectionError, createClient, PatchbayError } from '../src/index.ts'

type Reply = { status: number; body?: string; headers?: Record<string, string> } | 'hang' | 'cut'

describe('methods of the client', () => {
  const seen: { url: string | undefined; body: string }[] = []
  let replies: Reply[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ url: request.url, body })
    const reply = replies.shift() ?? { status: 200, body: 'true' }
    if (reply === 'cut') request.socket.destroy()
    else if (reply !== 'hang') {
      response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers }).end(reply.body ?? '')
    }
  })
  let baseUrl = ''
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    seen.length = 0
    replies = []
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const client = () => createClient({ baseUrl: `${baseUrl}/` })

  it('are documented in files that agree with the contract (npm run methods --workspace sdk writes them)', () => {
    const read = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8')
    expect(read('methods.ts')).toBe(renderMethods())
    expect(read('routes.ts')).toBe(renderRoutes())
  })

  it('exist for every operation, by its name with a small first letter', async () => {
    const methods = client() as unknown as Record<string, unknown>
    const missing = Object.keys(operations).filter(
      (name) => typeof methods[name.charAt(0).toLowerCase() + name.slice(1)] !== 'function',
    )
    expect(missing).toEqual([])
    replies = [{ status: 200, body: '{"myAccount":{"email":"anna@example.com"}}' }]
    expect((await client().authenticate()).myAccount.email).toBe('anna@example.com')
    await client().apiKeyCreate({ body: { label: 'x' } })
    expect(seen.map(({ url }) => url)).toEqual(['/api/Authenticate', '/api/ApiKey'])
  })

  it('repeat what only reads, also searches, after busy answers and lost connections', async () => {
    replies = [{ status: 503, headers: { 'Retry-After': '0' } }, 'cut', { status: 200, body: '[]' }]
    expect(await client().workflows()).toEqual([])
    expect(seen).toHaveLength(3)
    replies = [
      { status: 502, headers: { 'Retry-After': '0' } },
      { status: 200, body: '{"accounts":[],"total":0}' },
    ]
    expect((await client().managedAccounts({ body: {} })).total).toBe(0)
  })

  it('repeat what changes something only after 429', async () => {
    replies = [
      { status: 429, headers: { 'Retry-After': '0' } },
      { status: 200, body: '"id"' },
    ]
    expect(await client().workflowCreate({ body: { name: 'x' } })).toBe('id')
    seen.length = 0
    replies = [{ status: 503, headers: { 'Retry-After': '0' } }]
    await expect(client().workflowCreate({ body: { name: 'x' } })).rejects.toMatchObject({ status: 503 })
    replies = ['cut']
    const lost = await client()
      .workflowCreate({ body: { name: 'x' } })
      .catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(ConnectionError)
    expect(lost).toMatchObject({ mayHaveChanged: true })
    expect(seen).toHaveLength(2)
    replies = ['cut']
    await expect(client().workflows({ retries: 0 })).rejects.toMatchObject({ mayHaveChanged: false })
  })

  it('give up after the last attempt with the refusal of the service', async () => {
    replies = Array.from({ length: 3 }, () => ({
      status: 503,
      body: '{"errorMessage":"Busy."}',
      headers: { 'Retry-After': '0' },
    }))
    const error = await client()
      .workflows()
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(PatchbayError)
    expect([error.message, seen.length]).toEqual(['Busy.', 3])
  })

  it('end at the time limit and by the signal of the caller, and say which it was', async () => {
    replies = ['hang']
    // Long enough for the request to arrive: one that came later would take the reply of another test.
    await expect(client().workflows({ timeoutMs: 3_000, retries: 0 })).rejects.toMatchObject({
      message: `${baseUrl} did not answer within 3000 ms.`,
      isCancelled: false,
    })
    const controller = new AbortController()
    replies = [{ status: 503, headers: { 'Retry-After': '20' } }]
    const asked = client().workflows({ signal: controller.signal })
    await eventually(() => seen.length === 2)
    controller.abort()
    await expect(asked).rejects.toMatchObject({ isCancelled: true })
    const away = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
    await expect(away.workflows()).rejects.toThrow('http://127.0.0.1:1 cannot be reached.')
  })

  it('turn pages: by a short page, by isLast, and keep the rest of the search', async () => {
    const page = (ids: number[]) => ({ status: 200, body: JSON.stringify({ workflows: ids, total: 3 }) })
    replies = [page([1, 2]), page([3])]
    const found = []
    for await (const item of client().each('WorkflowsSearch', { body: { size: 2, searchTerm: 'x' } })) found.push(item)
    expect(found).toEqual([1, 2, 3])
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
      { size: 2, searchTerm: 'x', page: 0 },
      { size: 2, searchTerm: 'x', page: 1 },
    ])
    replies = [{ status: 200, body: '{"items":[7],"isLast":true}' }]
    const hits = []
    for await (const hit of client().each('SearchRuns', { body: { searchTerm: 'x', size: 1 } })) hits.push(hit)
    expect(hits).toEqual([7])
  })
})
