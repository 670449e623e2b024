// Who may use the tools over HTTP: the same keys, roles, rate limits and audit as everywhere.

import { request } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../server/test/harness/accounts.ts'
import { freePort } from '../../server/test/harness/free-port.ts'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { createWorkflow } from '../../server/test/harness/workflows.ts'

type Keys = { consumer: string; secretKey: string }
type Told = { isError?: boolean; structuredContent: Record<string, unknown>; content: { text: string }[] }

describe('/mcp', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const headersOf = ({ consumer, secretKey }: Keys) => ({ Consumer: consumer, SecretKey: secretKey })
  const own = () => headersOf(service.firstAccount)
  const ask = (headers: Record<string, string>, body?: string, baseUrl = service.baseUrl) =>
    fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: body ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
  const sentenceOf = async (answer: Response) => ((await answer.json()) as { errorMessage: string }).errorMessage

  /** One call of a tool by the official client. */
  async function call(headers: Record<string, string>, name: string, input: Record<string, unknown>): Promise<Told> {
    const client = new Client({ name: 'a test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit: { headers } })
    // The types of that package are not made for exactOptionalPropertyTypes.
    await client.connect(transport as never)
    try {
      return (await client.callTool({ name, arguments: input })) as unknown as Told
    } finally {
      await client.close()
    }
  }

  it('needs keys that are right, and that may be used from this address', async () => {
    expect((await ask({})).status).toBe(401)
    const wrong = await ask({ ...own(), SecretKey: 'wrong' })
    expect([wrong.status, await sentenceOf(wrong)]).toEqual([401, expect.any(String)])
    expect((await ask({ ...own(), ManagedAccountId: crypto.randomUUID() })).status).toBe(403)
    expect((await ask(own(), '{"jsonrpc"')).status).toBe(400)
    const { body: restricted } = await service.manager.post('/api/ApiKey', { ipRestriction: ['192.0.2.1'] })
    const elsewhere = await ask(headersOf(restricted))
    expect([elsewhere.status, await sentenceOf(elsewhere)]).toEqual([401, expect.stringContaining('address')])
  })

  it('refuses pages of other sites, also those whose name leads here', async () => {
    const port = new URL(service.baseUrl).port
    /** `fetch` does not let anybody choose the header Host. */
    const askAs = (host: string, headers: Record<string, string> = {}) =>
      new Promise<number>((done, fail) => {
        const asked = request(`${service.baseUrl}/mcp`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...own(),
            ...headers,
            Host: host,
          },
        })
        asked.on('response', (answer) => done(answer.resume().statusCode ?? 0)).on('error', fail)
        asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }))
      })
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'patchbay'])
      expect([host, await askAs(host)]).toEqual([host, 200])
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example'])
      expect([host, await askAs(host)]).toEqual([host, 403])
    const here = `127.0.0.1:${port}`
    expect(await askAs(here, { Origin: `http://${here}` })).toBe(200)
    for (const origin of ['https://evil.example', 'null', `http://evil.example:${port}`])
      expect([origin, await askAs(here, { Origin: origin })]).toEqual([origin, 403])
    const ownPort = String(await freePort())
    await using _named = await service.startAnother(
      { PATCHBAY_BASE_URL: 'https://patchbay.example.com', PATCHBAY_PORT: ownPort },
      'api',
    )
    const askNamed = (host: string, origin: string) =>
      new Promise<number>((done, fail) => {
        request(`http://127.0.0.1:${ownPort}/mcp`, { headers: { ...own(), Host: host, Origin: origin } })
          .on('response', (answer) => done(answer.resume().statusCode ?? 0))
          .on('error', fail)
          .end()
      })
    expect(await askNamed('patchbay.example.com', 'https://patchbay.example.com')).not.toBe(403)
    expect(await askNamed('other.example.com', 'https://patchbay.example.com')).toBe(403)
  })

  it('acts for a managed account', async () => {
    await createWorkflow(service.manager, ['return 1'])
    const managed = await createAccount(service, service.manager, 'User')
    const listed = await call({ ...own(), ManagedAccountId: managed.id }, 'list_workflows', {})
    expect(listed.structuredContent['workflows']).toEqual([])
  })

  it('lets a role do what it may do elsewhere, and writes the audit row in its name', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const keys = headersOf((await user.client.post('/api/ApiKey', {})).body)
    const { id } = await createWorkflow(user.client, ['return 1'])
    const workflowTemplateId = '844b0939-5da5-5bd6-b7dd-262d54126bc6'
    const refused = await call(keys, 'preview_upgrade', { workflowTemplateId })
    const direct = await user.client.post('/api/TemplateUpgradePreview', { page: 0, size: 20, workflowTemplateId })
    expect(direct.status).toBe(403)
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, direct.body.errorMessage])
    expect((await call(keys, 'deploy_workflow', { workflowId: id, confirm: true })).isError).toBeFalsy()
    const audit = await service.manager.post('/api/GetAuditLog', { page: 0, size: 20 })
    expect(audit.body.items).toContainEqual(
      expect.objectContaining({ action: 'workflow.deployed', target: id, accountId: user.id }),
    )
  })

  it('counts towards the rate limit of the key', async () => {
    await using slow = await service.startAnother({ PATCHBAY_RATE_LIMIT_PER_SECOND: '2' })
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(own(), undefined, slow.baseUrl)))
    const statuses = answers.map(({ status }) => status)
    expect([...new Set(statuses)].toSorted()).toEqual([200, 429])
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/)
    await Promise.all(answers.map((answer) => answer.text()))
  })
})
