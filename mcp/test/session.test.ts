// Sessions of the official clients over both transports and in both generations of the protocol: each finds a failed run, explains it, tests a
// mended script and leaves a draft.
import { fileURLToPath } from 'node:url'
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { createWorkflow, deployWorkflow, runToEnd, type SampleWorkflow } from '../../server/test/harness/workflows.ts'

const bin = fileURLToPath(new URL('../../cli/bin/patchbay.js', import.meta.url))
const about = { name: 'a test', version: '1' }
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
const sound = 'const orders = await api.get("TEST/orders")\nreturn orders.length'
const broken = 'const orders = await api.get("TEST/orders")\nreturn orders[0].zone.zanzibar'
const mended = 'const orders = await api.get("TEST/orders")\nreturn orders[0].zone?.zanzibar ?? variables.key.length'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever a tool answered and asserts its shape.
type Called = { isError?: boolean; structuredContent: any; content: any }
type Hints = { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined }
/** What both generations of the client have in common. */
type Session = {
  call(name: string, input: Record<string, unknown>): Promise<Called>
  listTools(): Promise<{ tools: { name: string; annotations?: Hints | undefined }[] }>
  listResources(): Promise<{ resources: { uri: string }[] }>
  readResource(asked: { uri: string }): Promise<{ contents: unknown[] }>
  close(): Promise<void>
}

function sessionOf(client: Client | NewClient): Session {
  return {
    call: (name, input) => client.callTool({ name, arguments: input }) as unknown as Promise<Called>,
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    readResource: (asked) => client.readResource(asked),
    close: () => client.close(),
  }
}

describe('the tools for assistants', () => {
  let service: TestService
  let failing: SampleWorkflow
  let draft: SampleWorkflow
  beforeAll(async () => {
    service = await joinService()
    const variables = { key: { type: 'password', value: 'open-sesame' } }
    const bound = { key: { variableSource: 'Workflow', variableName: 'key' } }
    const { manager } = service
    const { body: applications } = await manager.get('/api/Applications')
    const applicationId = applications.find((one: { shortName: string }) => one.shortName === 'TEST').id
    const registered = await manager.post('/api/RegApplication', { applicationId, tagText: '', credentialsJson: '{}' })
    const more = { name: 'Orders', variables, applications: { TEST: registered.body } }
    failing = await deployWorkflow(manager, [{ script: sound, blockName: 'Read', variables: bound }], more)
    await runToEnd(manager, failing.id)
    const chain = [{ uniqueBlockId: failing.blocks[0], script: broken }]
    await manager.post(`/api/Workflow/${failing.id}`, { chain })
    for (let no = 0; no < 2; no++) expect(await runToEnd(manager, failing.id)).toMatchObject({ status: 'Error' })
    draft = await createWorkflow(manager, [{ script: broken, blockName: 'Read', variables: bound }], {
      ...more,
      name: 'Orders (draft)',
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const headers = () => ({ Consumer: service.firstAccount.consumer, SecretKey: service.firstAccount.secretKey })
  const address = () => new URL(`${service.baseUrl}/mcp`)
  const command = () => ({
    command: process.execPath,
    args: [bin, 'mcp'],
    stderr: 'ignore' as const,
    env: {
      PATH: process.env['PATH'] ?? '',
      PATCHBAY_URL: service.baseUrl,
      PATCHBAY_CONSUMER: service.firstAccount.consumer,
      PATCHBAY_SECRET_KEY: service.firstAccount.secretKey,
    },
  })

  const ways: Record<string, () => Promise<Session>> = {
    'HTTP, 2025 protocol': async () => {
      const client = new Client(about)
      // The types of that package are not made for exactOptionalPropertyTypes.
      await client.connect(
        new StreamableHTTPClientTransport(address(), { requestInit: { headers: headers() } }) as never,
      )
      return sessionOf(client)
    },
    'stdio, 2025 protocol': async () => {
      const client = new Client(about)
      await client.connect(new StdioClientTransport(command()))
      return sessionOf(client)
    },
    'HTTP, 2026 protocol': async () => {
      const client = new NewClient(about, pinned)
      await client.connect(new NewHttp(address(), { requestInit: { headers: headers() } }))
      return sessionOf(client)
    },
    'stdio, 2026 protocol': async () => {
      const client = new NewClient(about, pinned)
      await client.connect(new NewStdio(command()))
      return sessionOf(client)
    },
  }

  it.each(Object.keys(ways))('a failure is found, explained, mended and left as a draft (%s)', async (way) => {
    const session = await (ways[way] as () => Promise<Session>)()
    try {
      await mend(session)
    } finally {
      await session.close()
    }
  })

  async function mend(session: Session): Promise<void> {
    const said: unknown[] = []
    const call = async (name: string, input: Record<string, unknown>) => {
      const called = await session.call(name, input)
      said.push(called)
      return called
    }
    const found = await eventually(async () => {
      const { structuredContent } = await call('search_runs', {
        searchTerm: 'zanzibar',
        in: ['error'],
        status: 'Error',
      })
      return structuredContent.runs.length > 1 && structuredContent.runs[0]
    })
    expect(found).toMatchObject({ workflowId: failing.id, runNumber: 3, blockName: 'Read', status: 'Error' })

    const explained = await call('explain_failure', { workflowId: found.workflowId, runNumber: found.runNumber })
    expect(explained.structuredContent).toMatchObject({
      error: expect.stringContaining('zanzibar'),
      block: { blockName: 'Read', script: broken },
      call: { method: 'GET', statusCode: 200 },
      input: { dataSources: [], variables: { key: '********' } },
      lastChange: {
        isUnchanged: false,
        lastReadyRun: { runNumber: 1, revision: 1 },
        revision: { revision: 2, reason: 'Updated' },
        difference: { from: 1, to: 2, blocks: [{ blockName: 'Read', fields: [{ name: 'script', to: broken }] }] },
      },
      similarFailures: [{ workflowId: failing.id, runNumber: 2 }],
    })
    expect(explained.content[0].text).toContain('Run 3 of "Orders" failed in block "Read"')

    const recordedAnswers = [{ url: 'TEST/orders', data: [{ id: 1 }] }]
    const again = { workflowId: 'Orders', block: 'Read', runNumber: 3, recordedAnswers }
    expect((await call('test_block', again)).structuredContent).toMatchObject({ success: false, line: 2 })
    const tested = await call('test_block', { ...again, script: mended })
    expect(tested.structuredContent).toMatchObject({ success: true, result: '********'.length })

    const blocks = [{ block: 'Read', script: mended }]
    const replayed = await call('replay', { workflowId: 'Orders', runNumbers: [3], blocks })
    expect(replayed.structuredContent).toMatchObject({ state: 'Completed', counts: { different: 1 } })

    const deployed = await call('propose_change', { workflowId: 'Orders', blocks, confirm: true })
    expect(deployed.structuredContent).toMatchObject({
      isSaved: false,
      revision: 2,
      diff: [
        {
          path: 'blocks.Read.script',
          lines: ['@@ -2,1 +2,1 @@', `- ${broken.split('\n')[1]}`, `+ ${mended.split('\n')[1]}`],
        },
      ],
    })
    const left = [{ block: 'Read', script: `${mended}\n// ${crypto.randomUUID()}` }]
    const before = await revisionOf(draft)
    const asked = await call('propose_change', { workflowId: 'Orders (draft)', blocks: left })
    expect([asked.structuredContent.isSaved, await revisionOf(draft)]).toEqual([false, before])
    const saved = await call('propose_change', { workflowId: 'Orders (draft)', blocks: left, confirm: true })
    expect(saved.structuredContent).toMatchObject({ isSaved: true, revision: before + 1 })
    expect(await revisionOf(draft)).toBe(before + 1)
    expect(await revisionOf(failing)).toBe(2)
    expect(JSON.stringify(said)).not.toContain('open-sesame')
  }

  async function revisionOf({ id }: SampleWorkflow): Promise<number> {
    return (await service.manager.get(`/api/Workflow/${id}`)).body.revision
  }

  it('tools that change something are marked, and do nothing without confirm: true', async () => {
    const session = await (ways['HTTP, 2025 protocol'] as () => Promise<Session>)()
    const { tools } = await session.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [
        ...[
          'search_runs',
          'explain_failure',
          'list_workflows',
          'get_workflow',
          'propose_change',
          'test_block',
          'replay',
        ],
        ...['preview_upgrade', 'search_catalog', 'run_workflow', 'deploy_workflow'],
      ].toSorted(),
    )
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name)
    expect(changing.toSorted()).toEqual(['deploy_workflow', 'propose_change', 'run_workflow'])
    const reaching = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)
    expect(reaching.toSorted()).toEqual(['deploy_workflow', 'run_workflow'])

    const other = await createWorkflow(service.manager, ['return 1'], { name: 'Waiting' })
    const state = async () => (await service.manager.get(`/api/Workflow/${other.id}`)).body
    const asked = await session.call('deploy_workflow', { workflowId: 'Waiting' })
    expect(asked.content[0].text).toContain('Nothing was deployed.')
    expect((await state()).workflowState).toBe('inDevelopment')
    const done = await session.call('deploy_workflow', { workflowId: 'Waiting', confirm: true })
    expect([done.content[0].text, (await state()).workflowState]).toEqual([
      expect.stringContaining('Deployed revision 1 of "Waiting".'),
      'deployed',
    ])
    const notRun = await session.call('run_workflow', { workflowId: 'Waiting' })
    expect([notRun.structuredContent.isStarted, (await state()).lastRunNumber]).toEqual([false, null])
    const ran = await session.call('run_workflow', { workflowId: 'Waiting', confirm: true })
    expect(ran.structuredContent).toMatchObject({ isStarted: true, runNumber: 1 })
    const audit = await service.manager.post('/api/GetAuditLog', { page: 0, size: 20 })
    expect(audit.body.items).toContainEqual(
      expect.objectContaining({ action: 'workflow.deployed', target: other.id, address: '127.0.0.1' }),
    )
    await session.close()
  })

  it('lists, shows and searches, and has the documentation', async () => {
    const session = await (ways['HTTP, 2026 protocol'] as () => Promise<Session>)()
    const listed = await session.call('list_workflows', { searchTerm: 'Orders' })
    expect(listed.structuredContent.workflows).toHaveLength(2)
    const shown = await session.call('get_workflow', { workflowId: 'Orders', runNumber: 1 })
    expect(shown.structuredContent.workflow.chain[0].script).toBe(sound)
    const latest = await session.call('search_runs', { status: 'Error' })
    expect(latest.structuredContent.runs).toEqual([
      { workflowId: failing.id, workflowName: 'Orders', runNumber: 3, status: 'Error' },
    ])
    const history = await session.call('search_runs', { workflowId: 'Orders', status: 'Ready' })
    expect(history.structuredContent.runs).toMatchObject([{ runNumber: 1, status: 'Ready' }])
    const catalog = await session.call('search_catalog', { searchTerm: 'hello' })
    const [template] = catalog.structuredContent.workflowTemplates
    expect(template.name).toBe('Hello world')
    const preview = await session.call('preview_upgrade', { workflowTemplateId: template.id })
    expect(preview.structuredContent).toMatchObject({ items: [] })
    const { resources } = await session.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('patchbay://docs/01-start')
    for (const { uri } of resources) expect((await session.readResource({ uri })).contents).toHaveLength(1)
    const api = await session.readResource({ uri: 'patchbay://script-api' })
    expect(JSON.stringify(api)).toContain('declare namespace myVault')
    await session.close()
  })

  it('says in a sentence what is wrong with a call', async () => {
    const session = await (ways['HTTP, 2025 protocol'] as () => Promise<Session>)()
    const wrong = async (name: string, input: Record<string, unknown>) => {
      const called = await session.call(name, input)
      expect(called.isError, JSON.stringify(called)).toBe(true)
      return called.content[0].text as string
    }
    expect(await wrong('get_workflow', { workflowId: 'Nothing' })).toContain('No workflow named "Nothing".')
    expect(await wrong('get_workflow', { workflowId: crypto.randomUUID() })).toContain('list_workflows')
    expect(await wrong('explain_failure', { workflowId: 'Orders', runNumber: 1 })).toContain('did not fail')
    expect(await wrong('explain_failure', { workflowId: 'Orders', runNumber: 0 })).toContain('runNumber')
    expect(await wrong('propose_change', { workflowId: 'Orders' })).toContain('Give blocks')
    expect(await wrong('test_block', { workflowId: 'Orders', block: 'Wrong' })).toContain(
      'no block "Wrong". It has: "Read"',
    )
    expect(await wrong('run_workflow', { workflowId: 'Orders (draft)', confirm: true })).toContain('inDevelopment')
    await session.close()
  })
})
