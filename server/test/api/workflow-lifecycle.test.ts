import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockA,
  change,
  create,
  customBody,
  definitionForRuns,
  helloWorld,
  nobody,
  postMessageTemplate,
  read,
  refuseChange,
  webhookToSlack,
} from './workflow-samples.ts'

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

const audited = (id: string, action: string) =>
  service.asOwner('select * from audit_log where target = $1 and action = $2', [id, action])

async function deployed(body: object = customBody()): Promise<string> {
  const id = await create(client, body)
  const answer = await client.get(`/api/DeployWorkflow/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return id
}

async function refuseDeploy(id: string, ...words: string[]): Promise<void> {
  const answer = await client.get(`/api/DeployWorkflow/${id}`)
  expect(answer.status, answer.text).toBe(400)
  for (const word of words) expect(answer.body.errorMessage).toContain(word)
  expect((await read(client, id)).workflowState).not.toBe('deployed')
}

describe('DeployWorkflow', () => {
  it('answers the id as a JSON string; doing it again is harmless', async () => {
    const id = await create(client)
    for (const path of [`/api/DeployWorkflow/${id}`, `/api/DeployWorkflow/${id.toUpperCase()}`]) {
      const answer = await client.get(path)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toBe(JSON.stringify(id))
    }
    expect((await read(client, id)).workflowState).toBe('deployed')
    expect(await audited(id, 'workflow.deployed')).toHaveLength(1)
  })

  it('lists everything that is missing', async () => {
    const id = await create(client, { workflowTemplateId: webhookToSlack.id })
    await refuseDeploy(
      id,
      'The required variable "channel" has no value.',
      'The application Slack is not mapped to a registered application.',
    )
  })

  it('refuses a block whose required variable has no value, of its own or through a workflow variable', async () => {
    const block = (channel: object) => ({ blockTemplateId: postMessageTemplate, variables: { channel } })
    const id = await create(client, {
      name: 'Two messages',
      variables: { where: null },
      chain: [
        { ...block({ variableSource: 'Value', value: null }), blockName: 'Own' },
        { ...block({ variableSource: 'Workflow', variableName: 'where' }), blockName: 'Bound' },
      ],
    })
    await refuseDeploy(id, 'variable "channel" of block "Own"', 'of block "Bound"', 'bound to the variable "where"')
  })

  it('refuses a mapping to what is not a registered application of the account', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id, applications: { TEST: nobody } })
    await refuseDeploy(id, `The application TEST is mapped to ${nobody}, which is not a registered application`)
  })

  it('refuses a workflow without blocks', async () => {
    await refuseDeploy(await create(client, { name: 'Empty', chain: [] }), 'has no blocks')
  })

  it('refuses a required variable of a custom workflow without a value, and an empty one', async () => {
    const key = { value: '', type: 'password', required: true, displayName: 'Key' }
    const id = await create(client, customBody({ variables: { who: 'x', key } }))
    await refuseDeploy(id, 'The required variable "key" has no value.')
    await change(client, id, { variables: { key: 'secret' } })
    expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
  })

  it('refuses an archived workflow', async () => {
    const id = await create(client)
    await client.get(`/api/ArchiveWorkflow/${id}`)
    await refuseDeploy(id, 'archived')
  })
})

describe('changing a deployed workflow', () => {
  it('keeps it deployed, and the newest revision is what runs read; older ones stay as they were', async () => {
    const id = await deployed()
    await change(client, id, { name: 'Second', chain: [{ uniqueBlockId: blockA, script: 'return 2' }] })
    expect((await read(client, id)).workflowState).toBe('deployed')
    const [newest, first] = [await definitionForRuns(service, id), await definitionForRuns(service, id, 1)]
    expect(newest).toMatchObject({ revision: 2, name: 'Second', state: 'deployed', accountId })
    expect(newest?.chain[0]).toMatchObject({ no: 1, script: 'return 2' })
    expect(first).toMatchObject({ revision: 1, name: 'Three blocks' })
    expect(first?.chain[0]?.script).toBe('return 1')
    expect(await definitionForRuns(service, id, 3)).toBeUndefined()
  })

  it('refuses what would make it undeployable', async () => {
    const key = { value: 'secret', type: 'password', required: true }
    const id = await deployed(customBody({ variables: { who: 'x', key } }))
    await refuseChange(client, id, { variables: { key: null } }, 'The required variable "key" has no value.')
    await refuseChange(client, id, { applications: { TEST: nobody } }, 'not a registered application of this account')
    await refuseChange(
      client,
      id,
      { chain: [{ script: '', applicationShortName: 'TEST' }] },
      'The application TEST is not mapped',
    )
  })

  it('does not refuse because of what was missing before', async () => {
    const id = await deployed()
    // As after the loss of an application: the mapping points to nothing.
    const lost = JSON.stringify({ TEST: nobody })
    await service.asOwner(
      "update workflow_revisions set definition = jsonb_set(definition::jsonb, '{applications}', $2::jsonb)::json where workflow_id = $1",
      [id, lost],
    )
    await change(client, id, { name: 'Still mendable' })
    expect(await read(client, id)).toMatchObject({ name: 'Still mendable', applications: { TEST: nobody } })
    await change(client, id, { applications: { test: null } })
    expect((await read(client, id)).applications).toEqual({})
  })

  it('never ends deployed with a revision that nobody checked, however deploying and changing cross', async () => {
    const attempts = Array.from({ length: 8 }, async () => {
      const key = { value: 'secret', type: 'password', required: true }
      const id = await create(client, customBody({ variables: { who: 'x', key } }))
      await Promise.all([
        client.get(`/api/DeployWorkflow/${id}`),
        client.post(`/api/Workflow/${id}`, { variables: { key: null } }),
      ])
      const definition = await definitionForRuns(service, id)
      const isUsable = definition?.variables['key']?.value === 'secret'
      expect(definition?.state === 'deployed' && !isUsable).toBe(false)
    })
    await Promise.all(attempts)
  })
})

describe('ArchiveWorkflow', () => {
  it('answers true, hides from the list, stops schedule and webhook, and stays readable', async () => {
    const id = await deployed()
    await service.asOwner(
      'update workflows set is_scheduled = true, is_webhook_active = true, next_run_at = now() where id = $1',
      [id],
    )
    for (const _ of [1, 2]) {
      const answer = await client.get(`/api/ArchiveWorkflow/${id}`)
      expect([answer.status, answer.body]).toEqual([200, true])
    }
    const list = (await client.get('/api/Workflows')).body as { id: string }[]
    expect(list.map((item) => item.id)).not.toContain(id)
    expect(await read(client, id)).toMatchObject({
      workflowState: 'archived',
      isScheduled: false,
      nextRunDateTimeUTC: null,
      isWebhookActive: false,
      webhook: { isActive: false },
    })
    expect(await audited(id, 'workflow.archived')).toHaveLength(1)
  })
})

describe('DeleteWorkflow', () => {
  it('answers true and leaves no row that names it; a second time is 404', async () => {
    const id = await create(client, customBody({ applications: { TEST: nobody } }))
    expect((await client.post(`/api/AttributeTagAdd/workflow/${id}`, { value: 'gone' })).status).toBe(200)
    expect((await client.post(`/api/MyVaultSet/${id}/key`, { jsonData: 1 })).status).toBe(200)
    const first = await client.get(`/api/DeleteWorkflow/${id}`)
    expect([first.status, first.body]).toEqual([200, true])
    const second = await client.get(`/api/DeleteWorkflow/${id}`)
    expect(second.status).toBe(404)
    expect((await client.get(`/api/Workflow/${id}`)).text).toBe(second.text)
    expect(await audited(id, 'workflow.deleted')).toHaveLength(1)
    const left = await service.asOwner(
      `select 'revision' as kind from workflow_revisions where workflow_id = $1 union all select 'use' from workflow_uses where workflow_id = $1
       union all select 'tag' from tags where entity_id = $1 union all select 'vault' from vault_entries where workflow_id = $1`,
      [id],
    )
    expect(left).toEqual([])
  })

  it('of two at once one answers true', async () => {
    const id = await create(client)
    const answers = await Promise.all([1, 2].map(() => client.get(`/api/DeleteWorkflow/${id}`)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
  })

  it.each(['Deploy', 'Archive', 'Delete'])('HEAD of %sWorkflow is 405 and changes nothing', async (verb) => {
    const id = await create(client)
    expect((await client.send('HEAD', `/api/${verb}Workflow/${id}`)).status).toBe(405)
    expect((await read(client, id)).workflowState).toBe('inDevelopment')
  })
})

describe('revisions', () => {
  it('cannot be changed, not even by the service itself', async () => {
    const id = await create(client)
    for (const role of ['patchbay_app', 'patchbay_system']) {
      const attempt = service.asOwner(
        `set role ${role}; update workflow_revisions set revision = 9 where workflow_id = '${id}'`,
      )
      await expect(attempt).rejects.toThrow('permission denied')
    }
  })
})
