import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockFiles } from './catalog-files.ts'
import {
  blockA,
  blockB,
  blockC,
  change,
  create,
  customBody,
  definitionForRuns,
  employeesToDirectory,
  helloWorld,
  listOrdersTemplate,
  nobody,
  read,
  refuseChange,
} from './workflow-samples.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'User')).client
})
afterAll(() => service[Symbol.asyncDispose]())

type Block = { uniqueBlockId: string; blockName: string; isCustomized: boolean; script: string; dataSources: string[] }

async function revisions(id: string): Promise<number> {
  const rows = await service.asOwner(
    'select w.revision, (select count(*)::int from workflow_revisions r where r.workflow_id = w.id) as stored from workflows w where id = $1',
    [id],
  )
  expect(rows[0]?.['stored']).toBe(rows[0]?.['revision'])
  return rows[0]?.['revision'] as number
}

async function changesAudited(id: string): Promise<number> {
  const rows = await service.asOwner("select 1 from audit_log where target = $1 and action = 'workflow.changed'", [id])
  return rows.length
}

/** What a workflow is, apart from when it was changed. */
async function content(id: string) {
  const { modifyDateTimeUTC: _time, ...rest } = await read(client, id)
  return rest
}

const bound = () => create(client, { workflowTemplateId: helloWorld.id })
const secretive = () =>
  create(client, {
    workflowTemplateId: employeesToDirectory.id,
    variables: { initialPassword: 'correct horse battery' },
    chain: [
      {
        uniqueBlockId: employeesToDirectory.users,
        variables: { initialPassword: { variableSource: 'Value', value: 'staple' } },
      },
    ],
  })

describe('an answer posted back', () => {
  it.each([
    ['a bound workflow', () => bound()],
    ['a workflow with passwords', () => secretive()],
    ['an unbound one', () => create(client, { workflowTemplateId: helloWorld.id, unboundFromTemplate: true })],
    ['a custom one', () => create(client, customBody({ applications: { TEST: nobody }, timeoutSeconds: 60 }))],
    [
      'one with a block template',
      () => create(client, { name: 'x', chain: [{ blockTemplateId: listOrdersTemplate }] }),
    ],
  ])('changes nothing: %s', async (_name, make) => {
    const id = await make()
    const before = await read(client, id)
    await change(client, id, before)
    expect(await read(client, id)).toEqual(before)
    expect(await revisions(id)).toBe(1)
    expect(await changesAudited(id)).toBe(0)
  })

  it('with one changed script changes just that', async () => {
    const id = await secretive()
    const before = await read(client, id)
    const wanted = structuredClone(before)
    wanted.chain[1].script = 'return 1'
    await change(client, id, wanted)
    const after = await read(client, id)
    expect(after.modifyDateTimeUTC > before.modifyDateTimeUTC).toBe(true)
    wanted.chain[1].isCustomized = true
    wanted.revision = 2
    expect({ ...after, modifyDateTimeUTC: '' }).toEqual({ ...wanted, modifyDateTimeUTC: '' })
    expect(await revisions(id)).toBe(2)
    expect(await changesAudited(id)).toBe(1)
  })

  it('keeps the passwords behind the stars, through many revisions', async () => {
    const id = await secretive()
    for (const name of ['one', 'two']) await change(client, id, { ...(await read(client, id)), name })
    const definition = await definitionForRuns(service, id)
    expect(definition?.revision).toBe(3)
    expect(definition?.variables['initialPassword']?.value).toBe('correct horse battery')
    expect(definition?.chain[3]?.variables['initialPassword']).toEqual({ variableSource: 'Value', value: 'staple' })
    expect(definition?.secrets.sort()).toEqual(['correct horse battery', 'staple'])
  })

  it('whatever custom workflow it came from, and whatever JSON its values are', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text !== '__proto__')
    const lineOf = (maxLength: number) =>
      fc.string({ unit: 'grapheme', minLength: 1, maxLength }).filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    const element = fc.record({
      blockName: lineOf(50),
      script: fc.constantFrom('', 'return 1', 'return Datasource'),
      variables: fc.dictionary(name, fc.record({ variableSource: fc.constant('Value'), value: fc.jsonValue() }), {
        noNullPrototype: true,
        maxKeys: 3,
      }),
    })
    const body = fc.record({
      name: lineOf(20),
      description: fc.string({ unit: 'grapheme' }),
      variables: fc.dictionary(name, fc.record({ value: fc.jsonValue() }), { noNullPrototype: true, maxKeys: 4 }),
      chain: fc.array(element, { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        // Names of JSON objects inside values may be "__proto__", which the parser of bodies refuses.
        fc.pre(!JSON.stringify(given).includes('__proto__') && !JSON.stringify(given).includes('\\u0000'))
        const id = await create(client, given)
        const before = await read(client, id)
        expect(before.name).toBe(given.name)
        const valuesOf = (variables: Record<string, { value: unknown }>) =>
          Object.fromEntries(Object.entries(variables).map(([key, { value }]) => [key, value]))
        expect(valuesOf(before.variables)).toEqual(JSON.parse(JSON.stringify(valuesOf(given.variables))))
        await change(client, id, before)
        expect(await read(client, id)).toEqual(before)
        expect(await revisions(id)).toBe(1)
      }),
      { numRuns: 40 },
    )
  })
})

describe('rule 1: unboundFromTemplate', () => {
  it('detaches for good, marks every block customized and opens the structure', async () => {
    const id = await bound()
    await change(client, id, { unboundFromTemplate: true })
    const workflow = await read(client, id)
    expect(workflow.isCustomizedStructure).toBe(true)
    expect(workflow.chain.map((block: Block) => block.isCustomized)).toEqual([true, true])
    await change(client, id, { chain: [{ uniqueBlockId: helloWorld.greet, dataSources: [] }] })
    expect((await read(client, id)).chain[1].dataSources).toEqual([])
    await refuseChange(client, id, { unboundFromTemplate: false }, 'unboundFromTemplate cannot go back to false')
  })

  it('false on a workflow that is bound is no change', async () => {
    const id = await bound()
    await change(client, id, { unboundFromTemplate: false })
    expect(await revisions(id)).toBe(1)
  })

  it('adds, moves and removes blocks of an unbound workflow', async () => {
    const id = await create(client)
    await change(client, id, {
      chain: [
        { blockName: 'New', script: 'return 4', dataSources: [blockA], no: 1 },
        { uniqueBlockId: blockC, isDeleted: true },
      ],
    })
    const { chain } = await read(client, id)
    expect(chain.map((block: Block & { no: number }) => [block.no, block.blockName])).toEqual([
      [1, 'New'],
      [2, 'First'],
      [3, 'Second'],
    ])
    await change(client, id, { chain: [{ uniqueBlockId: blockB, no: 1 }] })
    expect((await read(client, id)).chain.map((block: Block) => block.blockName)).toEqual(['Second', 'New', 'First'])
  })
})

describe('rule 2: the structure of a bound workflow', () => {
  it.each<[string, object, string]>([
    ['data sources', { uniqueBlockId: helloWorld.greet, dataSources: [] }, 'The data sources of block "Greet"'],
    ['positions', { uniqueBlockId: helloWorld.greet, no: 1 }, 'cannot be moved'],
    ['deletions', { uniqueBlockId: helloWorld.greet, isDeleted: true }, 'cannot be deleted'],
    ['additions', { script: 'return 1' }, 'cannot be added'],
  ])('does not take new %s', async (_name, element, words) => {
    await refuseChange(client, await bound(), { chain: [element] }, words)
  })

  it('takes them together with unboundFromTemplate', async () => {
    const id = await bound()
    await change(client, id, {
      unboundFromTemplate: true,
      chain: [
        { uniqueBlockId: helloWorld.greet, dataSources: [] },
        { script: 'return 1', blockName: 'Mine' },
      ],
    })
    expect((await read(client, id)).chain.map((block: Block) => block.blockName)).toEqual([
      'Employees',
      'Greet',
      'Mine',
    ])
  })
})

describe('rule 3: variables that are not declared cannot be added', () => {
  it.each([
    ['a bound workflow', () => bound()],
    ['a custom workflow', () => create(client)],
  ])('to %s', async (_name, make) => {
    await refuseChange(client, await make(), { variables: { nope: 1 } }, 'Variable "nope" is not declared')
  })

  it('nor to a block that was made from a template', async () => {
    const variables = { nope: { variableSource: 'Value', value: 1 } }
    const chain = [{ uniqueBlockId: helloWorld.greet, variables }]
    await refuseChange(client, await bound(), { chain }, 'Variable "nope" is not declared in block "Greet"')
  })

  it('declared ones are set in both forms, unset with null, and keep their type', async () => {
    const id = await create(client)
    await change(client, id, { variables: { count: 2, who: { value: 'all' }, isOn: null } })
    const { variables } = await read(client, id)
    expect(variables).toMatchObject({
      count: { value: 2 },
      who: { value: 'all' },
      isOn: { value: null, type: 'boolean' },
    })
    await refuseChange(client, id, { variables: { count: '2' } }, 'Variable "count" must be a number')
  })
})

describe('rule 4: blocks that do not exist cannot be modified', () => {
  it.each([
    ['a bound workflow', () => bound()],
    ['a custom workflow', () => create(client)],
  ])('in %s', async (_name, make) => {
    const chain = [{ uniqueBlockId: nobody, script: 'return 1' }]
    await refuseChange(client, await make(), { chain }, `Block ${nobody} does not exist`)
  })
})

describe('rule 5: customizing', () => {
  it('a script or a variable marks just that block', async () => {
    const id = await bound()
    await change(client, id, {
      chain: [
        {
          uniqueBlockId: helloWorld.greet,
          variables: { greeting: { variableSource: 'value', value: 'Hei' } },
        },
      ],
    })
    const { chain } = await read(client, id)
    expect(chain.map((block: Block) => block.isCustomized)).toEqual([false, true])
    expect(chain[1].variables.greeting).toEqual({ variableSource: 'Value', value: 'Hei' })
  })

  it('block variables can be bound to workflow variables, if there is one', async () => {
    const id = await create(client)
    const bind = (variableName: string) => ({
      chain: [{ uniqueBlockId: blockA, variables: { x: { variableSource: 'Workflow', variableName } } }],
    })
    await change(client, id, bind('who'))
    expect((await read(client, id)).chain[0].variables.x).toEqual({ variableSource: 'Workflow', variableName: 'who' })
    await refuseChange(client, id, bind('ghost'), '"ghost", which is not declared')
  })
})

describe('further refusals', () => {
  const chain = (...elements: object[]) => ({ chain: elements })
  it.each<[string, unknown, string | RegExp]>([
    ['a cycle', chain({ uniqueBlockId: blockA, dataSources: [blockC] }), /"First".*cycle/],
    ['an unknown data source', chain({ uniqueBlockId: blockA, dataSources: [nobody] }), `data source ${nobody}`],
    ['deleting a block that others read', chain({ uniqueBlockId: blockB, isDeleted: true }), `data source ${blockB}`],
    ['one block twice', chain({ uniqueBlockId: blockA }, { uniqueBlockId: blockA }), 'more than once'],
    ['a place that is not there', chain({ uniqueBlockId: blockA, no: 9 }), 'cannot move to position 9'],
    ['a script that does not compile', chain({ uniqueBlockId: blockA, script: '\n  ?' }), /"First".*line 2, column \d/],
    ['an unknown field', { nope: 1 }, 'nope'],
    ['an unknown application', { applications: { NOPE: nobody } }, 'NOPE'],
    ['a wrong type of a field', { description: 7 }, 'description must be a string'],
  ])('%s', async (_name, body, words) => {
    await refuseChange(client, await create(client), body, words)
  })

  it('read-only fields are ignored, whatever they hold', async () => {
    const id = await create(client)
    const before = await read(client, id)
    await change(client, id, {
      id: nobody,
      workflowState: 'deployed',
      tags: 5,
      run: [],
      lastRunNumber: 'x',
    })
    expect(await read(client, id)).toEqual(before)
  })

  it('keys of JSON keep their order, also when only that changes', async () => {
    const value = { zebra: 1, a: { later: 1, b: 2 }, long_name: 3, c: 4 }
    const own = { variableSource: 'Value', value }
    const chain = [{ uniqueBlockId: blockA, blockName: 'One', script: 'return variables.own', variables: { own } }]
    const id = await create(client, { name: 'Ordered', variables: { data: { value, type: 'json' } }, chain })
    const texts = async () => {
      const shown = await read(client, id)
      return [shown.variables.data.value, shown.chain[0].variables.own.value].map((one) => JSON.stringify(one))
    }
    expect(await texts()).toEqual([JSON.stringify(value), JSON.stringify(value)])
    const turned = { c: 4, long_name: 3, a: { b: 2, later: 1 }, zebra: 1 }
    await change(client, id, {
      variables: { data: { value: turned } },
      chain: [{ uniqueBlockId: blockA, variables: { own: { variableSource: 'Value', value: turned } } }],
    })
    expect(await texts()).toEqual([JSON.stringify(turned), JSON.stringify(turned)])
  })

  it('an empty body changes nothing', async () => {
    const id = await create(client)
    await change(client, id, {})
    await change(client, id, undefined)
    expect(await revisions(id)).toBe(1)
  })
})

describe('changes at the same moment', () => {
  it('all count, each as a revision of its own', async () => {
    const id = await create(client)
    const others = Array.from({ length: 6 }, (_, n) => `return ${n + 100}`)
    const answers = await Promise.all([
      ...[blockA, blockB, blockC].map((uniqueBlockId, n) =>
        client.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId, script: others[n] }] }),
      ),
      client.post(`/api/Workflow/${id}`, { name: 'Renamed' }),
      client.post(`/api/Workflow/${id}`, { variables: { count: 9 } }),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
    const workflow = await content(id)
    expect(workflow.chain.map((block: Block) => block.script)).toEqual(others.slice(0, 3))
    expect(workflow).toMatchObject({ name: 'Renamed', variables: { count: { value: 9 } } })
    expect(await revisions(id)).toBe(6)
    expect(await changesAudited(id)).toBe(5)
  })
})

describe('templates of the organization', () => {
  const importBlock = async (id: string, version: string, variables: string) => {
    const [yaml, script] = blockFiles({ id, name: `own${id.slice(0, 8)}`, version, script: `return ${version}` })
    const content = `${yaml?.content.slice(0, yaml.content.indexOf('variables:'))}variables:\n${variables}\n`
    const answer = await service.manager.post('/api/CatalogImport', { files: [{ ...yaml, content }, script] })
    expect(answer.status, answer.text).toBe(200)
  }
  const word = (type: string) => `  - { shortName: word, displayName: Word, type: ${type}, required: false }`

  it('a block keeps the script and the variables it was made with when its template changes', async () => {
    const blockTemplateId = randomUUID()
    await importBlock(blockTemplateId, '1', word('text'))
    const variables = { word: { variableSource: 'Value', value: 'hello' } }
    const id = await create(client, { name: 'Own', chain: [{ blockTemplateId, variables }] })
    const before = await read(client, id)
    await importBlock(blockTemplateId, '2', word('number'))
    await eventually(async () => (await client.get(`/api/BlockTemplate/${blockTemplateId}`)).body.version === '2')

    await change(client, id, before)
    expect(await read(client, id)).toEqual(before)
    expect(await revisions(id)).toBe(1)
    const [block] = before.chain
    await change(client, id, {
      chain: [{ uniqueBlockId: block.uniqueBlockId, variables: { word: { variableSource: 'Value', value: 'bye' } } }],
    })
    await refuseChange(
      client,
      id,
      { chain: [{ uniqueBlockId: block.uniqueBlockId, variables: { word: { variableSource: 'Value', value: 5 } } }] },
      'Variable "word" .* must be text',
    )
    await change(client, id, { chain: [{ blockTemplateId }] })
    expect((await read(client, id)).chain.map((item: Block) => item.script.trim())).toEqual(['return 1', 'return 2'])
  })

  it('another organization cannot use them', async () => {
    const blockTemplateId = randomUUID()
    await importBlock(blockTemplateId, '1', word('text'))
    const stranger = (await createOrganization(service)).manager
    const body = { name: 'Theirs', chain: [{ blockTemplateId }] }
    const answer = await stranger.post('/api/Workflow', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(`${blockTemplateId}, which does not exist`)
  })
})
