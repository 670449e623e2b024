// An organization takes its own items away again.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { createWorkflow } from '../harness/workflows.ts'
import { applicationFile, blockFiles, type File, functionFile, workflowFile } from './catalog-files.ts'

let service: TestService
let other: Client
beforeAll(async () => {
  service = await joinService()
  other = (await createOrganization(service)).manager
})
afterAll(() => service[Symbol.asyncDispose]())

const newName = () => `name${randomUUID().slice(0, 8)}`
const remove = (kind: Kind, id: string, client: Client = service.manager) => client.get(`/api/Delete${kind}/${id}`)

type Kind = 'Application' | 'BlockTemplate' | 'WorkflowTemplate' | 'Function'
type Made = { id: string; name: string }

async function importFiles(files: File[], client: Client = service.manager): Promise<void> {
  const { status, text } = await client.post('/api/CatalogImport', { files })
  expect(status, text).toBe(200)
  expect(JSON.parse(text).problems).toEqual([])
}

async function importApplication(client?: Client): Promise<Made> {
  const made = { id: randomUUID(), name: newName() }
  await importFiles([applicationFile(made.id, made.name)], client)
  return made
}

async function importBlock(script?: string, version: string | null = '1'): Promise<Made> {
  const made = { id: randomUUID(), name: newName() }
  await importFiles(blockFiles({ ...made, version, ...(script === undefined ? {} : { script }) }))
  return made
}

async function importTemplate(blockTemplateId?: string): Promise<Made> {
  const made = { id: randomUUID(), name: newName() }
  await importFiles([workflowFile({ ...made, version: '1' }, blockTemplateId ?? (await importBlock()).id)])
  return made
}

async function importFunction(script?: string): Promise<Made> {
  const made = { id: randomUUID(), name: newName() }
  await importFiles([functionFile(made.id, made.name, script)])
  return made
}

const importers: [Kind, () => Promise<Made>, string][] = [
  ['Application', () => importApplication(), 'application'],
  ['BlockTemplate', () => importBlock(), 'blockTemplate'],
  ['WorkflowTemplate', () => importTemplate(), 'workflowTemplate'],
  ['Function', () => importFunction(), 'function'],
]

const namesNow = async (client: Client = service.manager): Promise<string[]> => {
  const paths = ['Applications', 'BlockTemplates', 'WorkflowTemplates', 'GetFunctions']
  const lists = await Promise.all(paths.map((path) => client.get(`/api/${path}`)))
  return lists.flatMap(({ body }) =>
    body.map((item: { name: string; shortName?: string }) => item.shortName ?? item.name),
  )
}

async function registerAs(client: Client, applicationId: string) {
  return client.post('/api/RegApplication', { applicationId, credentialsJson: '{"token":"t0ken-value"}' })
}

describe.each(importers)('Delete%s', (kind, make, entityType) => {
  it('takes the item away for good, once, and writes it down', async () => {
    const { id, name } = await make()
    expect(await namesNow()).toContain(name)
    const first = await remove(kind, id.toUpperCase())
    expect([first.status, first.text]).toEqual([200, 'true'])
    expect(await namesNow()).not.toContain(name)
    expect((await service.manager.get('/api/CatalogExport')).text).not.toContain(id)
    const second = await remove(kind, id)
    const never = await remove(kind, randomUUID())
    expect([second.status, second.text]).toEqual([404, never.text])
    const rows = await service.asOwner('select details from audit_log where target = $1 and action = $2', [
      id,
      `${entityType}.deleted`,
    ])
    expect(rows).toHaveLength(1)
  })

  it('leaves the place to another import', async () => {
    const { id } = await make()
    await remove(kind, id)
    expect(await service.asOwner('select from catalog_items where id = $1', [id])).toEqual([])
  })

  it('is not for a User, and for a DevPartner only where it is the creator', async () => {
    const { id } = await make()
    const user = await createAccount(service, service.manager, 'User')
    expect((await remove(kind, id, user.client)).status).toBe(403)
    const partner = await createAccount(service, service.manager, 'DevPartner')
    expect((await remove(kind, id, partner.client)).status).toBe(403)
    await service.asOwner('update catalog_owners set account_id = $2 where id = $1', [id, partner.id])
    expect((await remove(kind, id, partner.client)).status).toBe(200)
  })

  it('does not exist for another organization', async () => {
    const { id, name } = await make()
    const refused = await remove(kind, id, other)
    expect([refused.status, refused.text]).toEqual([404, (await remove(kind, randomUUID(), other)).text])
    expect(await namesNow()).toContain(name)
  })

  it('does not take shipped items, nor what is no id', async () => {
    const path = {
      Application: 'Applications',
      BlockTemplate: 'BlockTemplates',
      WorkflowTemplate: 'WorkflowTemplates',
      Function: 'GetFunctions',
    }[kind]
    const lists = await other.get(`/api/${path}`)
    expect((await remove(kind, lists.body[0].id)).status).toBe(404)
    expect((await remove(kind, 'none')).status).toBe(404)
    expect((await other.get(`/api/${path}`)).body).toEqual(lists.body)
  })
})

describe('a deleted template', () => {
  it.each(['BlockTemplate', 'WorkflowTemplate'] as const)(
    '%s is gone with its draft, its versions and its tags',
    async (kind) => {
      const { id, name } = kind === 'BlockTemplate' ? await importBlock() : await importTemplate()
      const files = (version: string | null) =>
        kind === 'BlockTemplate'
          ? blockFiles({ id, name, version, script: 'return 2' })
          : [workflowFile({ id, name, version }, block.id)]
      const block = await importBlock()
      await importFiles(files('2'))
      await importFiles(files(null))
      const tagged = await service.manager.post(`/api/AttributeTagAdd/${kind}/${id}`, { value: 'ours' })
      expect(tagged.status, tagged.text).toBe(200)
      expect((await remove(kind, id)).status).toBe(200)
      for (const query of ['', '?isDraft=true', '?version=1']) {
        expect((await service.manager.get(`/api/${kind}/${id}${query}`)).status).toBe(404)
      }
      expect((await service.manager.get(`/api/${kind}Versions/${id}`)).status).toBe(404)
      expect(await service.asOwner('select from tags where entity_id = $1', [id])).toEqual([])
      // The same version may be published again, as of a new item.
      await importFiles(files('1'))
    },
  )

  it('may be one of which there is only a draft', async () => {
    const { id } = await importBlock('return 3', null)
    expect((await remove('BlockTemplate', id)).status).toBe(200)
    expect((await service.manager.get(`/api/BlockTemplate/${id}?isDraft=true`)).status).toBe(404)
  })
})

describe('an item in use stays, and the refusal names who uses it:', () => {
  const refusal = async (kind: Kind, id: string, client: Client = service.manager): Promise<string> => {
    const answer = await remove(kind, id, client)
    expect(answer.status, answer.text).toBe(400)
    expect(await service.asOwner('select from catalog_items where id = $1', [id])).not.toEqual([])
    return answer.body.errorMessage
  }

  it('an application by its instances, in every account of the organization', async () => {
    const { id } = await importApplication()
    const user = await createAccount(service, service.manager, 'User')
    const mine = await registerAs(service.manager, id)
    const theirs = await registerAs(user.client, id)
    expect([mine.status, theirs.status]).toEqual([200, 200])
    const message = await refusal('Application', id)
    expect(message).toContain(mine.body)
    expect(message).toContain(theirs.body)
    expect((await service.manager.get(`/api/DeleteRegApplication/${mine.body}`)).status).toBe(200)
    expect((await user.client.get(`/api/DeleteRegApplication/${theirs.body}`)).status).toBe(200)
    expect((await remove('Application', id)).status).toBe(200)
  })

  it('without ids of accounts that the caller does not reach', async () => {
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const { id } = await importApplication(partner.client)
    const hidden = await registerAs(service.manager, id)
    const own = await registerAs(partner.client, id)
    const message = await refusal('Application', id, partner.client)
    expect(message).toContain(own.body)
    expect(message).toContain('1 more')
    expect(message).not.toContain(hidden.body)
    expect((await partner.client.get(`/api/DeleteRegApplication/${own.body}`)).status).toBe(200)
    expect(await refusal('Application', id, partner.client)).toContain(
      'it is used by registered applications that you cannot see (1).',
    )
  })

  it('an application by workflows and by templates', async () => {
    const { id, name } = await importApplication()
    const registered = await registerAs(service.manager, id)
    const workflow = await createWorkflow(service.manager, ['return 1'], { applications: { [name]: registered.body } })
    const block = { id: randomUUID(), name: newName() }
    const [definition, script] = blockFiles({ ...block, version: '1' }) as [File, File]
    await importFiles([{ ...definition, content: `${definition.content}application: ${name}\n` }, script])
    const message = await refusal('Application', id)
    expect(message).toContain(workflow.id)
    expect(message).toContain(block.id)
  })

  it('a block template by workflows that are not archived and by workflow templates', async () => {
    const block = await importBlock()
    const template = await importTemplate(block.id)
    const workflow = await createWorkflow(service.manager, [{ blockTemplateId: block.id }])
    const message = await refusal('BlockTemplate', block.id)
    expect(message).toContain(template.id)
    expect(message).toContain(workflow.id)
    await service.manager.get(`/api/ArchiveWorkflow/${workflow.id}`)
    expect((await remove('WorkflowTemplate', template.id)).status).toBe(200)
    expect((await remove('BlockTemplate', block.id)).status).toBe(200)
    // What was made from it goes on without it.
    expect((await service.manager.get(`/api/Workflow/${workflow.id}`)).body.chain[0].script).toContain('return 1')
  })

  it('a workflow template by the workflows made from it', async () => {
    const template = await importTemplate()
    const made = await service.manager.post('/api/Workflow', { workflowTemplateId: template.id, name: 'made' })
    expect(made.status, made.text).toBe(200)
    expect(await refusal('WorkflowTemplate', template.id)).toContain(made.body)
    expect((await service.manager.get(`/api/DeleteWorkflow/${made.body}`)).status).toBe(200)
    expect((await remove('WorkflowTemplate', template.id)).status).toBe(200)
  })

  it.each([
    ['a point', (name: string) => `return fx.${name}('a')`],
    ['brackets', (name: string) => `return fx['${name}']('a')`],
    ['a question', (name: string) => `return fx?.${name}?.('a')`],
  ])('a function by workflows, blocks and functions that call it with %s', async (_how, script) => {
    const called = await importFunction()
    const workflow = await createWorkflow(service.manager, [script(called.name)])
    const block = await importBlock(script(called.name))
    const caller = await importFunction(script(called.name))
    const message = await refusal('Function', called.id)
    for (const id of [workflow.id, block.id, caller.id]) expect(message).toContain(id)
  })

  it('and a script that only looks similar uses nothing', async () => {
    const { id, name } = await importFunction()
    await createWorkflow(service.manager, [
      `return fx.titleCase('${name}') + '${name}()'`,
      `const ${name}Too = 1; return fx.isEmpty(${name}Too)`,
    ])
    expect((await remove('Function', id)).status).toBe(200)
  })
})

describe('a deletion beside a registration', () => {
  it('never leaves an instance of an application that is gone', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await importApplication()
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => registerAs(service.manager, id)),
        remove('Application', id),
        ...Array.from({ length: 4 }, () => registerAs(service.manager, id)),
      ])
      expect(answers.map(({ status }) => status).filter((status) => ![200, 400, 404].includes(status))).toEqual([])
      const instances = await service.asOwner('select id from registered_applications where application_id = $1', [id])
      const items = await service.asOwner('select from catalog_items where id = $1', [id])
      expect(instances.length > 0).toBe(items.length > 0)
    }
  })
})
