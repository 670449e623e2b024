import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  create,
  employeesToDirectory,
  helloWorld,
  listEmployeesTemplate,
  nobody,
  read,
  refuseCreate,
} from './workflow-samples.ts'

const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const guid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

let service: TestService
let client: Client
let accountId: string
beforeAll(async () => {
  service = await joinService()
  const user = await createAccount(service, service.manager, 'User')
  client = user.client
  accountId = user.id
})
afterAll(() => service[Symbol.asyncDispose]())

/** As every block without them answers. */
const noFlow = {
  runWhen: null,
  needs: null,
  forEach: null,
  subWorkflow: null,
  wait: null,
  retry: null,
  onError: null,
  timeoutSeconds: null,
}

describe('POST /api/Workflow from a template', () => {
  it('answers the new id as a JSON string and keeps the blocks, ids and variables of the template', async () => {
    const answer = await client.post('/api/Workflow', { workflowTemplateId: helloWorld.id, name: 'My hello' })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toEqual(guid)
    expect(answer.text).toBe(JSON.stringify(answer.body))
    const workflow = await read(client, answer.body)
    expect(workflow).toEqual({
      id: answer.body,
      name: 'My hello',
      description: expect.stringContaining('greets each of them'),
      workflowState: 'inDevelopment',
      workflowTemplateId: helloWorld.id,
      templateVersion: '1',
      isCustomizedStructure: false,
      applications: {},
      isScheduled: false,
      scheduleFrequency: null,
      timeZone: null,
      nextRunDateTimeUTC: null,
      isAutoRunPaused: false,
      isWebhookActive: false,
      dateLastRunUTC: null,
      lastRunNumber: null,
      lastRunStatus: null,
      tags: [],
      createDateTimeUTC: timestamp,
      modifyDateTimeUTC: timestamp,
      accountId,
      organizationId: service.firstAccount.organizationId,
      revision: 1,
      timeoutSeconds: null,
      recordCallBodies: false,
      replayRuns: 20,
      outputBlock: null,
      warnings: null,
      webhook: { isActive: false, url: `${service.baseUrl}/webhook/${answer.body}` },
      variables: { greeting: { value: 'Hello', type: 'text', required: false, displayName: 'Greeting' } },
      chain: [
        {
          no: 1,
          uniqueBlockId: helloWorld.employees,
          blockName: 'Employees',
          blockTemplateId: listEmployeesTemplate,
          applicationShortName: 'TEST',
          script: expect.stringContaining('employees'),
          dataSources: [],
          variables: {},
          ...noFlow,
          isCustomized: false,
        },
        {
          no: 2,
          uniqueBlockId: helloWorld.greet,
          blockName: 'Greet',
          blockTemplateId: null,
          applicationShortName: null,
          script: expect.stringContaining('firstName'),
          dataSources: [helloWorld.employees],
          variables: { greeting: { variableSource: 'Workflow', variableName: 'greeting' } },
          ...noFlow,
          isCustomized: false,
        },
      ],
    })
  })

  it('takes its name from the template when none is given, and the template id in any case', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id.toUpperCase() })
    expect(await read(client, id.toUpperCase())).toMatchObject({
      name: 'Hello world',
      workflowTemplateId: helloWorld.id,
    })
  })

  it('sets variables in both forms and customizes scripts by the ids of the template', async () => {
    const id = await create(client, {
      workflowTemplateId: helloWorld.id,
      variables: { greeting: { value: 'Hei' } },
      chain: [{ uniqueBlockId: helloWorld.greet.toUpperCase(), script: 'return 7' }],
    })
    const workflow = await read(client, id)
    expect(workflow.variables.greeting.value).toBe('Hei')
    expect(workflow.chain.map((block: { isCustomized: boolean }) => block.isCustomized)).toEqual([false, true])
    expect(workflow.chain[1].script).toBe('return 7')
    const bare = await create(client, { workflowTemplateId: helloWorld.id, variables: { greeting: 'Hallo' } })
    expect((await read(client, bare)).variables.greeting.value).toBe('Hallo')
  })

  it('unbound at once has a free structure and only customized blocks', async () => {
    const id = await create(client, {
      workflowTemplateId: helloWorld.id,
      unboundFromTemplate: true,
      chain: [
        { uniqueBlockId: helloWorld.greet, dataSources: [] },
        { script: 'return 1', blockName: 'Mine', no: 1 },
      ],
    })
    const workflow = await read(client, id)
    expect(workflow).toMatchObject({ isCustomizedStructure: true, workflowTemplateId: helloWorld.id })
    expect(workflow.chain.map((block: { blockName: string }) => block.blockName)).toEqual([
      'Mine',
      'Employees',
      'Greet',
    ])
    expect(workflow.chain.every((block: { isCustomized: boolean }) => block.isCustomized)).toBe(true)
  })

  it('masks passwords and stores them only sealed', async () => {
    const id = await create(client, {
      workflowTemplateId: employeesToDirectory.id,
      variables: { initialPassword: 'correct horse battery' },
      chain: [
        {
          uniqueBlockId: employeesToDirectory.users,
          variables: { initialPassword: { variableSource: 'Value', value: 'staple of the block' } },
        },
      ],
    })
    const answer = await client.get(`/api/Workflow/${id}`)
    expect(answer.text).not.toMatch(/correct horse|staple/)
    expect(answer.body.variables.initialPassword.value).toBe('********')
    expect(answer.body.chain[3].variables.initialPassword).toEqual({ variableSource: 'Value', value: '********' })
    const rows = await service.asOwner(
      "select definition::text || encode(sealed_secrets, 'escape') || w.applications::text as stored from workflow_revisions r join workflows w on w.id = r.workflow_id where w.id = $1",
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.['stored']).not.toMatch(/correct horse|staple/)
    const audit = await service.asOwner('select details::text from audit_log where target = $1', [id])
    expect(JSON.stringify(audit)).not.toMatch(/correct horse|staple/)
    expect(service.logText()).not.toMatch(/correct horse|staple/)
  })

  it.each([
    ['an unknown template', { workflowTemplateId: nobody }, 'workflow template was not found', 404],
    ['a template id that is no GUID', { workflowTemplateId: 'x' }, 'workflowTemplateId', 400],
    [
      'an undeclared variable',
      { workflowTemplateId: helloWorld.id, variables: { nope: 1 } },
      'Variable "nope" is not declared',
      400,
    ],
    [
      'a wrong type',
      { workflowTemplateId: helloWorld.id, variables: { greeting: 1 } },
      'Variable "greeting" must be text',
      400,
    ],
    [
      'a block that the template does not have',
      { workflowTemplateId: helloWorld.id, chain: [{ uniqueBlockId: nobody, script: 'return 1' }] },
      `Block ${nobody} does not exist`,
      400,
    ],
    [
      'another structure while bound',
      { workflowTemplateId: helloWorld.id, chain: [{ uniqueBlockId: helloWorld.greet, dataSources: [] }] },
      'unboundFromTemplate',
      400,
    ],
  ])('refuses %s', (_name, body, words, status) => refuseCreate(client, body, words, status))
})
