import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { explainDenial } from '../../src/document-library/index.ts'
import { createAccount } from '../harness/accounts.ts'
import type { Answer, Client } from '../harness/client.ts'
import { type GraphServer, startGraphServer } from '../harness/graph-server.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, runToEnd, type SampleBlock } from '../harness/workflows.ts'

const applicationId = 'a249afab-8ee8-511d-9308-361fe7a44b13'
const templates = {
  list: '7520f526-d610-564e-b3f8-e0eec033ab56',
  search: 'c40d891a-c57e-50a9-b5fa-b70ec2ac2426',
  read: 'a5605143-e5e8-5061-a885-d20ccc9e7709',
  upload: '1fa2085d-59b9-5dfb-a7e4-2941f4881685',
  createFolder: '49e130c0-e2ba-577c-8425-f5001d44c8ae',
  move: '0a0a4df5-ab5c-5bda-a244-12b1a488179c',
  remove: '42578593-1297-53c2-a1d9-a8c17614e789',
}
const connector = { clientId: '11111111-0000-4000-8000-000000000001', secret: 'connector-canary-secret' }
const admin = { clientId: '22222222-0000-4000-8000-000000000002', secret: 'admin-canary-secret' }
const sitePath = '/sites/Team Å'

describe('the document library', () => {
  let service: TestService
  let graph: GraphServer
  let user: Client
  let accountId: string

  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  beforeEach(async () => {
    graph = await startGraphServer()
    graph.apps.set(connector.clientId, { secret: connector.secret, roles: ['Sites.Selected'] })
    graph.apps.set(admin.clientId, { secret: admin.secret, roles: ['Sites.FullControl.All', 'Application.Read.All'] })
    graph.addSite(sitePath).permissions.set(connector.clientId, 'write')
    const made = await createAccount(service, service.manager, 'User')
    user = made.client
    accountId = made.id
    return () => graph[Symbol.asyncDispose]()
  })

  const site = () => graph.sites.get(sitePath)!
  const appRoles = (roles: string[]) => graph.apps.set(connector.clientId, { secret: connector.secret, roles })

  function register(more: Record<string, unknown> = {}): Promise<Answer> {
    const credentials = {
      tenantId: graph.tenantId,
      clientId: connector.clientId,
      clientSecret: connector.secret,
      host: graph.host,
      sitePath,
      authUrl: graph.origin,
      graphUrl: graph.origin,
      ...more,
    }
    return user.post('/api/RegApplication', { applicationId, credentialsJson: JSON.stringify(credentials) })
  }
  async function registered(): Promise<string> {
    const answer = await register()
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  function grant(more: Record<string, unknown> = {}, client = user): Promise<Answer> {
    return client.post('/api/DocumentLibraryGrant', {
      tenantId: graph.tenantId,
      adminClientId: admin.clientId,
      adminClientSecret: admin.secret,
      connectorClientId: connector.clientId,
      host: graph.host,
      sitePath,
      role: 'write',
      authUrl: graph.origin,
      graphUrl: graph.origin,
      ...more,
    })
  }
  const block = (template: keyof typeof templates, values: Record<string, unknown> = {}): SampleBlock => ({
    blockTemplateId: templates[template],
    blockName: template,
    variables: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { variableSource: 'Value', value }]),
    ),
  })
  /** Runs the blocks one after the other and returns what each of them returned. */
  async function run(id: string, blocks: SampleBlock[]): Promise<unknown[]> {
    const workflow = await deployWorkflow(user, blocks, { applications: { SHPT: id } })
    await runToEnd(user, workflow.id)
    const results = await Promise.all(blocks.map((_, index) => blockResult(user, workflow, index + 1)))
    return results.map(({ body }) => body.result)
  }
  const fault = async () => (await user.get('/api/RegApplications')).body[0]

  describe('from registration to files', () => {
    it('is tried when it is registered', async () => {
      await registered()
      expect(graph.calls).toEqual([
        `POST /${graph.tenantId}/oauth2/v2.0/token 200`,
        `GET /v1.0/sites/{host}:${sitePath} 200`,
      ])
      expect(await fault()).toMatchObject({ isFaulted: false })
    })

    it('block templates create folders, upload, list every page, search, read, move and delete', async () => {
      const id = await registered()
      const files = ['a.txt', "it's.txt", 'c å.txt', 'd.txt', 'e.txt'].map((fileName) => ({ fileName, text: fileName }))
      const results = await run(id, [
        block('createFolder', { folder: 'Reports/2025' }),
        { script: `return ${JSON.stringify(files)}` },
        block('upload', { folder: 'Reports/2025' }),
        block('list', { folder: 'Reports/2025' }),
        block('search', { query: "it's" }),
        block('read', { path: 'Reports/2025/c å.txt', asText: true }),
        block('createFolder', { folder: 'Done' }),
        block('move', { path: 'Reports/2025/a.txt', targetFolder: 'Done', newName: 'b.txt' }),
        block('remove', { path: 'Reports/2025/d.txt' }),
        block('list', { folder: 'Done' }),
        block('list', { folder: 'Reports/2025' }),
      ])
      expect(results[0]).toMatchObject({ path: 'Reports/2025', name: '2025' })
      expect(results[3]).toMatchObject(files.map(({ fileName }) => ({ name: fileName, isFolder: false })))
      expect(results[4]).toMatchObject([{ name: "it's.txt" }])
      expect(results[5]).toEqual({ fileName: 'c å.txt', path: 'Reports/2025/c å.txt', text: 'c å.txt' })
      expect(results[7]).toMatchObject({ name: 'b.txt' })
      expect(results[8]).toEqual({ path: 'Reports/2025/d.txt', deleted: true })
      expect(results[9]).toMatchObject([{ path: 'Done/b.txt' }])
      expect(results[10]).toMatchObject([{ name: "it's.txt" }, { name: 'c å.txt' }, { name: 'e.txt' }])
    })

    it('a large file goes up in parts, to a library found by its name, and comes back whole', async () => {
      const id = await registered()
      const [, uploaded, read] = (await run(id, [
        { script: "return { fileName: 'big.txt', text: '0123456789'.repeat(450_000) + 'end' }" },
        block('upload', { library: 'archive' }),
        block('read', { path: 'big.txt', library: 'archive', asText: true }),
      ])) as [unknown, unknown, { text: string }]
      expect(uploaded).toMatchObject([{ name: 'big.txt', size: 4_500_003 }])
      expect(graph.parts).toEqual(['0-3932159/4500003', '3932160-4500002/4500003'])
      expect(read.text === `${'0123456789'.repeat(450_000)}end`).toBe(true)
    })

    it('the template "File to document library" keeps the bytes of a file from any service', async () => {
      const bytes = Buffer.from([0, 255, 10, 13, 128, 1])
      await using source = await startHttpTarget(() => ({ body: bytes }))
      const applications = (await user.get('/api/Applications')).body
      const httpId = applications.find((one: { shortName: string }) => one.shortName === 'HTTP').id
      const credentialsJson = JSON.stringify({ baseUrl: source.origin })
      const http = (await user.post('/api/RegApplication', { applicationId: httpId, credentialsJson })).body
      const created = await user.post('/api/Workflow', {
        workflowTemplateId: 'b94e278e-8f79-518a-b52b-0ee99ea35b51',
        applications: { HTTP: http, SHPT: await registered() },
        variables: { filePath: 'export/today', fileName: 'export {{date}}.bin', folder: 'Exports' },
      })
      expect(created.status, created.text).toBe(200)
      expect((await user.get(`/api/DeployWorkflow/${created.body}`)).status).toBe(200)
      expect(await runToEnd(user, created.body)).toMatchObject({ status: 'Ready' })
      expect(source.received).toMatchObject([{ method: 'GET', url: '/export/today' }])
      const kept = site().drives[0]?.items.find(({ name }) => /^export \d{4}-\d\d-\d\d\.bin$/.test(name))
      expect(kept?.content).toEqual(bytes)
    })

    it('throttling is waited for and a token that ended early is replaced once', async () => {
      const id = await registered()
      graph.throttle(2, 1)
      expect((await run(id, [block('list')]))[0]).toEqual([])
      expect(graph.calls.filter((call) => call.endsWith(' 429'))).toHaveLength(2)
      graph.expireTokens()
      expect((await run(id, [block('list')]))[0]).toEqual([])
      expect(graph.tokensGiven).toBe(2)
      expect(await fault()).toMatchObject({ isFaulted: false })
    })
  })

  describe('access denied', () => {
    it.each([401, 403] as const)(
      'without administrator consent (%i) it cannot be registered, and the answer says so',
      async (status) => {
        graph.statusWithoutConsent = status
        appRoles([])
        const refused = await register()
        expect(refused.status).toBe(400)
        expect(refused.body.errorMessage).toContain('administrator consent is missing')
        expect(refused.body.errorMessage).not.toContain('assignment')
      },
    )

    it('without a site assignment it cannot be registered, and the answer says so', async () => {
      site().permissions.clear()
      const refused = await register()
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toContain('the site assignment is missing')
      expect(refused.body.errorMessage).toContain(`${graph.host}${sitePath}`)
      expect(refused.body.errorMessage).toContain('/api/DocumentLibraryGrant')
      expect(refused.body.errorMessage).not.toContain('consent is missing')
    })

    it('permissions that have nothing to do with sites are named', async () => {
      appRoles(['User.Read.All'])
      expect((await register()).body.errorMessage).toContain(
        'consent for User.Read.All, and none of these gives access',
      )
    })

    it('a call, the fault of the connection and a failed block all tell what is missing', async () => {
      const id = await registered()
      site().permissions.clear()
      const call = await user.get('/api/ApiGet?url=SHPT/sites/%7Bhost%7D:%7BsitePath%7D')
      expect(call.status).toBe(400)
      expect(call.body.errorMessage).toContain('the site assignment is missing')
      expect(call.body.response).toMatchObject({ statusCode: 403, data: { error: { code: 'accessDenied' } } })
      expect(await fault()).toMatchObject({ isFaulted: true })
      const [faulted] = await service.asOwner('select fault_message from registered_applications where id = $1', [id])
      expect(faulted?.['fault_message']).toContain('the site assignment is missing')
      expect((await run(id, [block('list')]))[0]).toContain('the site assignment is missing')
    })

    it('a consent that was taken back shows as missing consent, with the newest token', async () => {
      await registered()
      appRoles([])
      graph.expireTokens()
      const call = await user.get('/api/ApiGet?url=SHPT/sites/%7Bhost%7D:%7BsitePath%7D')
      expect(call.body.errorMessage).toContain('administrator consent is missing')
    })

    it('writing with the right to read is told as such', async () => {
      site().permissions.set(connector.clientId, 'read')
      const id = await registered()
      const failed = await run(id, [{ script: "return { fileName: 'a', text: 'a' }" }, block('upload')])
      expect(failed[1]).toContain('or only with the role read')
      appRoles(['Sites.Read.All'])
      const widened = await registered().then(() => user.get('/api/RegApplications'))
      const other = widened.body.find((one: { id: string }) => one.id !== id).id
      const wide = await run(other, [{ script: "return { fileName: 'a', text: 'a' }" }, block('upload')])
      expect(wide[1]).toContain('may only read (Sites.Read.All)')
    })

    it('where the token cannot be read both reasons are named; where it has what it needs, none', () => {
      const denial = { shortName: 'SHPT', values: {}, method: 'GET', statusCode: 403 }
      for (const token of ['opaque', 'a.b.c', 'a.bnVsbA.c']) {
        expect(explainDenial({ ...denial, token })).toMatch(/consent.*or.*not assigned/)
      }
      const token = `a.${Buffer.from('{"roles":["Sites.ReadWrite.All"]}').toString('base64url')}.c`
      expect(explainDenial({ ...denial, token })).toBeUndefined()
      expect(explainDenial({ ...denial, token: undefined })).toBeUndefined()
    })

    it('other applications hear nothing of sites', async () => {
      const credentialsJson = JSON.stringify({ baseUrl: graph.origin })
      const applications = (await user.get('/api/Applications')).body
      const http = applications.find((one: { shortName: string }) => one.shortName === 'HTTP').id
      expect((await user.post('/api/RegApplication', { applicationId: http, credentialsJson })).status).toBe(200)
      const refused = await user.get('/api/ApiGet?url=HTTP/v1.0/sites/x')
      expect(refused.body.errorMessage).toMatch(/^GET .* answered 401/)
    })
  })

  describe('the grant assistant', () => {
    it('makes a denied site work, leaves one audit row and keeps no secret', async () => {
      site().permissions.clear()
      expect((await register()).status).toBe(400)
      const granted = await grant()
      expect(granted).toMatchObject({ status: 200, body: { siteId: site().id, role: 'write' } })
      expect(granted.body.permissionId).toContain(connector.clientId)
      const id = await registered()
      const [, uploaded] = await run(id, [{ script: "return { fileName: 'a.txt', text: 'a' }" }, block('upload')])
      expect(uploaded).toMatchObject([{ name: 'a.txt', size: 1 }])
      const rows = await service.asOwner(
        "select * from audit_log where action = 'documentLibrary.granted' and account_id = $1",
        [accountId],
      )
      expect(rows).toMatchObject([{ target: site().id, details: { role: 'write', sitePath } }])
      expect(JSON.stringify(rows) + service.logText()).not.toContain(admin.secret)
    })

    it('grants no more than was asked for', async () => {
      site().permissions.clear()
      expect((await grant({ role: 'read' })).body.role).toBe('read')
      expect(site().permissions.get(connector.clientId)).toBe('read')
    })

    it.each([
      [{ tenantId: 'other.example' }, 'Step 1 of 3', 'check tenantId'],
      [{ adminClientId: 'nobody' }, 'Step 1 of 3', 'does not know the admin app'],
      [{ adminClientSecret: 'wrong-canary' }, 'Step 1 of 3', 'must be the value of the secret'],
      [{ sitePath: '/sites/none' }, 'Step 2 of 3', 'There is no such site'],
      [{ connectorClientId: 'nobody' }, 'Step 3 of 3', 'Check connectorClientId'],
    ])('says which step failed and what to do (%j)', async (more, step, advice) => {
      const refused = await grant(more)
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toContain(step)
      expect(refused.body.errorMessage).toContain(advice)
      expect(refused.body.response.statusCode).toBeGreaterThanOrEqual(400)
      expect(refused.text + service.logText()).not.toMatch(/wrong-canary|admin-canary/)
    })

    it('tells an admin app without consent from one with too little', async () => {
      graph.apps.set(admin.clientId, { secret: admin.secret, roles: [] })
      expect((await grant()).body.errorMessage).toMatch(/Step 2 of 3.*no administrator consent/)
      graph.apps.set(admin.clientId, { secret: admin.secret, roles: ['Sites.Read.All'] })
      expect((await grant()).body.errorMessage).toMatch(/Step 3 of 3.*lacks Sites\.FullControl\.All/)
    })

    it('an address that does not answer, or answers something else, is told with its step', async () => {
      expect((await grant({ authUrl: 'http://127.0.0.1:9' })).body.errorMessage).toMatch(/Step 1 of 3.*reached/)
      const text = await grant({ graphUrl: service.baseUrl })
      expect(text.body.errorMessage).toMatch(/Step 1 of 3/)
    })

    it.each([
      [{ role: 'owner' }, 'role'],
      [{ sitePath: '/sites/../../users' }, 'sitePath'],
      [{ sitePath: '/sites/a:/b' }, 'sitePath'],
      [{ tenantId: '../x' }, 'tenantId'],
      [{ host: 'a b' }, 'host'],
      [{ authUrl: 'ftp://example.com' }, 'authUrl'],
      [{ authUrl: 'http://login.example.com' }, 'authUrl must be an https address'],
      [{ graphUrl: 'http://graph.example.com' }, 'graphUrl must be an https address'],
      [{ graphUrl: 'https://user:pass@graph.example.com' }, 'graphUrl'],
      [{ adminClientId: connector.clientId }, 'adminClientId'],
      [{ adminClientSecret: undefined }, 'adminClientSecret'],
      [{ extra: 1 }, 'extra'],
    ])('refuses %j before anything is called', async (more, words) => {
      const refused = await grant(more)
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toContain(words)
      expect(graph.calls).toEqual([])
    })

    it('throttling is waited for, and the guard holds', async () => {
      graph.throttle(1, 1)
      expect((await grant()).status).toBe(200)
      await using guarded = await service.startAnother({ PATCHBAY_EGRESS_ALLOW: '' }, 'api')
      graph.calls.length = 0
      const refused = await grant({}, guarded.client(user.keys))
      expect(refused.body.errorMessage).toContain('must be an https address')
      const secure = await grant(
        { authUrl: graph.origin.replace('http:', 'https:'), graphUrl: 'https://graph.example' },
        guarded.client(user.keys),
      )
      expect(secure.body.errorMessage).toMatch(/Step 1 of 3.*could not be reached/)
      expect(graph.calls).toEqual([])
    })
  })
})
