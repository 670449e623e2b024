import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockA,
  blockB,
  blockC,
  create,
  customBody,
  listOrdersTemplate,
  nobody,
  read,
  refuseCreate,
} from './workflow-samples.ts'

const guid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  const user = await createAccount(service, service.manager, 'User')
  client = user.client
})
afterAll(() => service[Symbol.asyncDispose]())

describe('POST /api/Workflow with a chain of its own', () => {
  it('makes a custom workflow whose variables are declared by their values', async () => {
    const workflow = await read(client, await create(client))
    expect(workflow).toMatchObject({
      name: 'Three blocks',
      description: 'Made by a test',
      workflowTemplateId: null,
      templateVersion: null,
      isCustomizedStructure: true,
      variables: {
        count: { value: 1, type: 'number', required: false, displayName: 'count' },
        who: { value: 'world', type: 'text' },
        isOn: { value: true, type: 'boolean' },
        extra: { value: { a: [1, null] }, type: 'json' },
      },
    })
    expect(Object.keys(workflow.variables)).toEqual(['count', 'who', 'isOn', 'extra'])
    expect(workflow.chain[1]).toEqual({
      no: 2,
      uniqueBlockId: blockB,
      blockName: 'Second',
      blockTemplateId: null,
      applicationShortName: null,
      script: 'return Datasource[0] + 1',
      dataSources: [blockA],
      variables: {
        own: { variableSource: 'Value', value: { deep: ['x'] } },
        who: { variableSource: 'Workflow', variableName: 'who' },
      },
      runWhen: null,
      needs: null,
      forEach: null,
      subWorkflow: null,
      wait: null,
      retry: null,
      onError: null,
      timeoutSeconds: null,
      isCustomized: true,
    })
  })

  it('generates missing block ids and takes blocks from block templates', async () => {
    const id = await create(client, {
      name: 'Mixed',
      chain: [
        { blockTemplateId: listOrdersTemplate.toUpperCase() },
        { script: 'return 1', applicationShortName: 'test' },
      ],
    })
    const { chain } = await read(client, id)
    expect(chain[0]).toMatchObject({
      uniqueBlockId: guid,
      blockName: 'List test orders',
      blockTemplateId: listOrdersTemplate,
      applicationShortName: 'TEST',
      variables: { firstRunFrom: { variableSource: 'Value', value: null } },
    })
    expect(chain[1]).toMatchObject({ uniqueBlockId: guid, applicationShortName: 'TEST', script: 'return 1' })
  })

  it('maps applications by short name in any case and shows them as the catalogue spells them', async () => {
    const id = await create(client, customBody({ applications: { test: nobody.toUpperCase() } }))
    expect((await read(client, id)).applications).toEqual({ TEST: nobody })
  })

  it('two workflows may have blocks with the same ids', async () => {
    const [one, two] = [await create(client), await create(client)]
    expect(one).not.toBe(two)
  })

  const script = (text: string) => customBody({ chain: [{ blockName: 'Bad', script: text }] })
  it.each<[string, unknown, string | RegExp]>([
    ['neither template nor chain', { name: 'x' }, 'workflowTemplateId .* chain'],
    ['no name', { chain: [] }, 'The field name is required'],
    ['an empty name', customBody({ name: '' }), 'name must not be empty'],
    ['an unknown field', customBody({ nope: 1 }), 'nope'],
    ['an unknown field of a block', { name: 'x', chain: [{ script: '', nope: 1 }] }, 'nope'],
    ['a name that is no text', customBody({ name: 5 }), 'name must be'],
    ['applications that are no object', customBody({ applications: [] }), 'applications'],
    ['a mapping to no GUID', customBody({ applications: { TEST: 'x' } }), /applications\.TEST must be a GUID or null/],
    ['an unknown application', customBody({ applications: { NOPE: nobody } }), '"NOPE", which is not the short name'],
    [
      'one application twice',
      customBody({ applications: { TEST: nobody, test: nobody } }),
      'names test more than once',
    ],
    [
      'a block for an unknown application',
      { name: 'x', chain: [{ script: '', applicationShortName: 'NOPE' }] },
      '"NOPE", which is not the short name',
    ],
    [
      'a block without script or template',
      { name: 'x', chain: [{ blockName: 'Empty' }] },
      '"Empty" .* needs a blockTemplateId or a script',
    ],
    [
      'an unknown block template',
      { name: 'x', chain: [{ blockTemplateId: nobody }] },
      `${nobody}, which does not exist`,
    ],
    [
      'one id for two blocks',
      {
        name: 'x',
        chain: [
          { uniqueBlockId: blockA, script: '' },
          { uniqueBlockId: blockA.toUpperCase(), script: '' },
        ],
      },
      `${blockA} more than once`,
    ],
    [
      'a block id that is no GUID',
      { name: 'x', chain: [{ uniqueBlockId: 'a', script: '' }] },
      'uniqueBlockId must be a GUID',
    ],
    [
      'a cycle, naming the blocks',
      {
        name: 'x',
        chain: [
          { uniqueBlockId: blockA, blockName: 'One', script: '', dataSources: [blockB] },
          { uniqueBlockId: blockB, blockName: 'Two', script: '', dataSources: [blockA] },
        ],
      },
      /"One" .*"Two" .*cycle/,
    ],
    [
      'a block that reads itself',
      { name: 'x', chain: [{ uniqueBlockId: blockA, script: '', dataSources: [blockA] }] },
      'its own data source',
    ],
    [
      'an unknown data source',
      { name: 'x', chain: [{ blockName: 'One', script: '', dataSources: [blockC] }] },
      `"One" .* data source ${blockC}`,
    ],
    [
      'a binding to an unknown workflow variable',
      {
        name: 'x',
        chain: [
          { blockName: 'One', script: '', variables: { a: { variableSource: 'Workflow', variableName: 'ghost' } } },
        ],
      },
      '"One" .*"ghost", which is not declared',
    ],
    [
      'a malformed binding',
      { name: 'x', chain: [{ script: '', variables: { a: 5 } }] },
      'Variable "a" must be an object with variableSource',
    ],
    [
      'a variable of an unknown type',
      customBody({ variables: { a: { value: 1, type: 'money' } } }),
      'unknown type "money"',
    ],
    [
      'an undeclared variable of a template block',
      {
        name: 'x',
        chain: [{ blockTemplateId: listOrdersTemplate, variables: { nope: { variableSource: 'Value', value: 1 } } }],
      },
      'Variable "nope" is not declared in block "List test orders"',
    ],
    [
      'a wrong type for a template block',
      {
        name: 'x',
        chain: [
          {
            blockTemplateId: listOrdersTemplate,
            variables: { firstRunFrom: { variableSource: 'Value', value: 'soon' } },
          },
        ],
      },
      'Variable "firstRunFrom" of block "List test orders" .* must be a date',
    ],
    [
      'a script that does not compile, with line and column',
      script('return 1\nconst = 2'),
      /"Bad" .*does not compile \(line 2, column \d+\): /,
    ],
    ['a script that tries to leave its function', script('} return 1; {'), 'does not compile'],
    ['NUL in a script', script('return "\u0000"'), 'NUL'],
    ['half a surrogate pair in a value', customBody({ variables: { a: '\ud800' } }), 'surrogate'],
    ['a time-out of nothing', customBody({ timeoutSeconds: 0 }), 'timeoutSeconds'],
    ['too many blocks', { name: 'x', chain: Array.from({ length: 501 }, () => ({ script: '' })) }, 'at most 500'],
    ['no JSON object', [], 'body must be a JSON object'],
  ])('refuses %s', (_name, body, words) => refuseCreate(client, body, words))

  it('refuses a value nested without end', async () => {
    const body = `{"name":"x","chain":[],"variables":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`
    const answer = await client.send('POST', '/api/Workflow', body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toContain('nested')
  })

  it('names every problem at once', async () => {
    const answer = await client.post('/api/Workflow', {
      name: 'x',
      applications: { NOPE: nobody },
      variables: { a: { value: 1, type: 'money' } },
      chain: [{ blockName: 'Empty' }, { blockTemplateId: nobody }],
    })
    expect(answer.status).toBe(400)
    for (const word of ['NOPE', 'money', '"Empty"', nobody]) expect(answer.body.errorMessage).toContain(word)
  })

  it('a refused request leaves nothing behind', async () => {
    const lonely = await createAccount(service, service.manager, 'User')
    await refuseCreate(lonely.client, script('const = 2'), 'compile')
    expect((await lonely.client.get('/api/Workflows')).body).toEqual([])
    expect(await service.asOwner('select 1 from workflow_revisions where account_id = $1', [lonely.id])).toEqual([])
  })
})

describe('whose workflow it is', () => {
  it('belongs to the managed account when one is selected, and one audit row says who made it for whom', async () => {
    const other = await createAccount(service, service.manager, 'User')
    const id = await create(service.manager.as(other.id))
    expect((await read(other.client, id)).accountId).toBe(other.id)
    const rows = await service.asOwner('select * from audit_log where target = $1', [id])
    expect(rows).toMatchObject([
      { action: 'workflow.created', account_id: service.firstAccount.accountId, managed_account_id: other.id },
    ])
  })

  it('is the same 404, byte for byte, for foreign, unknown and malformed ids, whatever is asked', async () => {
    const id = await create(client)
    const stranger = (await createOrganization(service)).manager
    const paths = (of: string) => [
      `/api/Workflow/${of}`,
      `/api/Workflow/${of}?runNumber=1`,
      `/api/DeployWorkflow/${of}`,
      `/api/ArchiveWorkflow/${of}`,
      `/api/DeleteWorkflow/${of}`,
    ]
    for (const who of [stranger, service.manager]) {
      for (const [index, path] of paths(id).entries()) {
        const [foreign, unknown] = [await who.get(path), await who.get(paths(nobody)[index] as string)]
        expect([foreign.status, unknown.status]).toEqual([404, 404])
        expect(foreign.text).toBe(unknown.text)
      }
      const [foreign, unknown] = [
        await who.post(`/api/Workflow/${id}`, { name: 'mine now' }),
        await who.post(`/api/Workflow/${nobody}`, { name: 'mine now' }),
      ]
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(unknown.text)
    }
    expect((await client.get('/api/Workflow/not-a-guid')).status).toBe(404)
    expect(await read(client, id)).toMatchObject({ name: 'Three blocks', workflowState: 'inDevelopment' })
  })

  it('GET with a run number that does not exist is 404, with one that is no number 400', async () => {
    const id = await create(client)
    for (const number of ['1', '0', '99999999999']) {
      expect((await client.get(`/api/Workflow/${id}?runNumber=${number}`)).status).toBe(404)
    }
    for (const number of ['x', '-1', '1.5', '']) {
      expect((await client.get(`/api/Workflow/${id}?runNumber=${number}`)).status).toBe(400)
    }
  })
})

describe('the record types of workflows', () => {
  it.each(['WorkflowListApiDto', 'WorkflowApiDto', 'ChainApiDto'])('%s is described field by field', async (name) => {
    const fields = (await client.get(`/api/Describe?name=${name}`)).body
    expect(fields.length).toBeGreaterThan(8)
    for (const field of fields)
      expect(field).toEqual({
        name: expect.any(String),
        type: expect.any(String),
        description: expect.stringMatching(/\.$/),
      })
    expect((await client.get(`/api/GetSchema?name=${name}`)).body).toMatchObject({ type: 'object' })
  })
})
