// Whatever a workflow request says counts, or is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockA,
  blockB,
  change,
  create,
  customBody,
  definitionForRuns,
  employeesToDirectory,
  helloWorld,
  listEmployeesTemplate,
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

const bound = () => create(client, { workflowTemplateId: helloWorld.id })
const block = async (id: string, blockId: string) =>
  (await read(client, id)).chain.find((one: { uniqueBlockId: string }) => one.uniqueBlockId === blockId)

describe('template and application of a block that exists', () => {
  it.each([
    ['blockTemplateId', { blockTemplateId: listOrdersTemplate }],
    ['blockTemplateId', { blockTemplateId: null }],
    ['applicationShortName', { applicationShortName: 'SLACK' }],
  ])('%s of a bound workflow is refused where it differs', async (field, element) => {
    const chain = [{ uniqueBlockId: helloWorld.employees, ...element }]
    await refuseChange(client, await bound(), { chain }, new RegExp(`The ${field} of block`))
  })

  it('count in an unbound workflow', async () => {
    const id = await create(client)
    await change(client, id, { chain: [{ uniqueBlockId: blockA, applicationShortName: 'slack' }] })
    expect(await block(id, blockA)).toMatchObject({ applicationShortName: 'Slack', script: 'return 1' })
    await change(client, id, { chain: [{ uniqueBlockId: blockA, blockTemplateId: listEmployeesTemplate }] })
    const changed = await block(id, blockA)
    expect(changed).toMatchObject({ blockTemplateId: listEmployeesTemplate, applicationShortName: 'TEST' })
    expect(changed.script).not.toBe('return 1')
    await change(client, id, {
      chain: [{ uniqueBlockId: blockB, blockTemplateId: listEmployeesTemplate, script: 'return 2' }],
    })
    expect(await block(id, blockB)).toMatchObject({ blockTemplateId: listEmployeesTemplate, script: 'return 2' })
    await change(client, id, { chain: [{ uniqueBlockId: blockB, blockTemplateId: null, applicationShortName: null }] })
    expect(await block(id, blockB)).toMatchObject({
      blockTemplateId: null,
      applicationShortName: null,
      script: 'return 2',
    })
  })

  it('must exist', async () => {
    const id = await create(client)
    const set = (element: object) => ({ chain: [{ uniqueBlockId: blockA, ...element }] })
    await refuseChange(client, id, set({ applicationShortName: 'NOPE' }), 'NOPE')
    await refuseChange(client, id, set({ blockTemplateId: nobody }), 'does not exist')
  })
})

it('the template of a workflow and its version cannot be exchanged', async () => {
  const id = await bound()
  const shown = await read(client, id)
  await change(client, id, { workflowTemplateId: shown.workflowTemplateId, templateVersion: shown.templateVersion })
  await refuseChange(client, id, { workflowTemplateId: employeesToDirectory.id }, 'workflowTemplateId cannot change')
  await refuseChange(client, id, { templateVersion: '999' }, 'templateVersion cannot change')
  const refused = await client.post('/api/Workflow', { workflowTemplateId: helloWorld.id, templateVersion: '999' })
  expect(refused.status).toBe(400)
  expect(refused.body.errorMessage).toContain('no such version')
})

it('two new blocks of one update may name each other by ids of their own', async () => {
  const id = await create(client)
  const [one, two] = ['bbbbbbbb-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002']
  await change(client, id, {
    chain: [
      { uniqueBlockId: one, blockName: 'Later', script: 'return Datasource[0]', dataSources: [two] },
      { uniqueBlockId: two, blockTemplateId: listEmployeesTemplate },
    ],
  })
  expect((await block(id, one)).dataSources).toEqual([two])
  expect((await block(id, two)).blockTemplateId).toBe(listEmployeesTemplate)
  await refuseChange(
    client,
    await bound(),
    { chain: [{ uniqueBlockId: one, blockName: 'New', script: '' }] },
    'cannot be added',
  )
})

describe('variables of an unbound workflow', () => {
  it('are added with a type, changed in type and removed', async () => {
    const id = await create(client)
    await change(client, id, {
      variables: {
        since: { type: 'date', value: '2026-01-31' },
        count: { type: 'text', value: 'one' },
        isOn: { isDeleted: true },
      },
    })
    const { variables } = await read(client, id)
    expect(variables).toMatchObject({ since: { type: 'date' }, count: { type: 'text', value: 'one' } })
    expect(variables.isOn).toBeUndefined()
    await refuseChange(client, id, { variables: { who: { type: 'number' } } }, '"who" must be a number')
    await refuseChange(client, id, { variables: { who: { isDeleted: true } } }, 'workflow variable "who"')
    await refuseChange(client, await bound(), { variables: { extra: { type: 'text', value: '' } } }, 'not declared')
  })

  it('of its blocks likewise; a password among them is sealed and masked', async () => {
    const id = await create(client)
    const set = (variables: object) => ({ chain: [{ uniqueBlockId: blockB, variables }] })
    const secret = { variableSource: 'Value', value: 'canary secret', type: 'password' }
    await change(client, id, set({ secret, own: { isDeleted: true } }))
    expect((await block(id, blockB)).variables).toEqual({
      who: { variableSource: 'Workflow', variableName: 'who' },
      secret: { ...secret, value: '********' },
    })
    await change(client, id, { ...(await read(client, id)), name: 'Renamed' })
    const stored = await service.asOwner(
      'select definition::text as text from workflow_revisions where workflow_id = $1',
      [id],
    )
    expect(stored.filter(({ text }) => String(text).includes('canary secret'))).toEqual([])
    const run = (await definitionForRuns(service, id))?.chain.find(({ uniqueBlockId }) => uniqueBlockId === blockB)
    expect(run?.variables['secret']).toMatchObject({ value: 'canary secret' })
    await refuseChange(client, id, set({ secret: { type: 'text' } }), 'is a password')
    await refuseChange(client, id, set({ secret: { ...secret, type: 'text', value: '********' } }), 'is a password')
    await refuseChange(client, id, set({ nope: { isDeleted: true } }), '"nope" is not declared')
    await change(client, id, set({ secret: { variableSource: 'Value', value: 5, type: 'number' } }))
    expect((await block(id, blockB)).variables.secret).toEqual({ variableSource: 'Value', value: 5, type: 'number' })
    await refuseChange(
      client,
      await bound(),
      { chain: [{ uniqueBlockId: helloWorld.greet, variables: { x: secret } }] },
      'not declared',
    )
  })
})

describe('a posted-back workflow', () => {
  /** What is the same in a copy. */
  const content = async (id: string) => {
    const {
      id: _id,
      createDateTimeUTC: _c,
      modifyDateTimeUTC: _m,
      webhook: _w,
      revision: _r,
      ...rest
    } = await read(client, id)
    return rest
  }

  it.each([
    ['custom', () => create(client, customBody({ timeoutSeconds: 60 }))],
    ['bound', bound],
    [
      'unbound',
      async () => {
        const id = await bound()
        const added = { uniqueBlockId: blockA, blockName: 'Added', script: 'return 5', no: 1 }
        const removed = { uniqueBlockId: helloWorld.greet, isDeleted: true }
        const variables = { mine: { type: 'date', value: '2026-01-31' } }
        await change(client, id, { unboundFromTemplate: true, chain: [added, removed], variables })
        return id
      },
    ],
  ])('%s, makes an equal one', async (_kind, make) => {
    const id = await make()
    const copy = await create(client, await read(client, id))
    const wanted = await content(id)
    expect({ ...(await content(copy)), isCustomizedStructure: wanted.isCustomizedStructure }).toEqual(wanted)
    expect((await read(client, copy)).isCustomizedStructure).toBe(wanted.isCustomizedStructure)
  })

  it('needs its secrets anew', async () => {
    const id = await create(client, {
      workflowTemplateId: employeesToDirectory.id,
      variables: { initialPassword: 'a secret' },
    })
    const shown = await read(client, id)
    const refused = await client.post('/api/Workflow', shown)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('initialPassword')
    shown.variables.initialPassword.value = 'another secret'
    const copy = await create(client, shown)
    expect((await definitionForRuns(service, copy))?.variables['initialPassword']?.value).toBe('another secret')
    const custom = await client.post(
      '/api/Workflow',
      customBody({ variables: { key: { type: 'password', value: '********' }, who: '' } }),
    )
    expect(custom.status).toBe(400)
    // And not that the block which uses it is wrong as well.
    expect(custom.body.errorMessage).toBe(
      'Variable "key" is a password and has no stored value to keep. Give its value.',
    )
  })
})
