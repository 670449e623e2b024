// Hosted items belong to their creator, and a neighbour who may import gets neither credentials nor scripts of others into its hands.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockResult, createWorkflow, deployWorkflow, runToEnd } from '../harness/workflows.ts'
import { blockFiles, type File, workflowFile } from './catalog-files.ts'

let service: TestService
let owner: Client
let neighbour: Client
let superPartner: Client
let customer: { id: string; client: Client }
let target: HttpTarget
let elsewhere: HttpTarget
beforeAll(async () => {
  service = await startService()
  const make = async (role: string, creator = service.manager) => createAccount(service, creator, role)
  owner = (await make('DevPartner')).client
  neighbour = (await make('DevPartner')).client
  superPartner = (await make('SuperPartner')).client
  customer = await make('User')
  target = await startHttpTarget(() => ({ json: { ok: true } }))
  elsewhere = await startHttpTarget(() => ({ json: { ok: true } }))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
  await elsewhere[Symbol.asyncDispose]()
})

const newName = () => `name${randomUUID().slice(0, 8)}`
const importFiles = (files: File[], client: Client, query = '') => client.post(`/api/CatalogImport${query}`, { files })
async function brought(files: File[], client: Client = owner) {
  const answer = await importFiles(files, client)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const functionFile = (id: string, name: string, script: string): File => ({
  path: `functions/${name}.js`,
  content: `/*---\nid: ${id}\nname: ${name}\ndescription: d\ncategory: c\npackage: p\nisAsync: false\narguments: {}\nexamples: []\n---*/\n${script}\n`,
})

type Shape = { baseUrl?: string; description?: string; authentication?: string; type?: string; hosts?: string }
const applicationFile = (id: string, shortName: string, shape: Shape = {}): File => ({
  path: `applications/${shortName}/application.yaml`,
  content: `id: ${id}
shortName: ${shortName}
name: Our ${shortName}
tag: Own
description: ${shape.description ?? 'Ours.'}
baseUrl: ${shape.baseUrl ?? target.origin}
${shape.hosts ? `allowedHosts: [${shape.hosts}]\n` : ''}authentication: ${shape.authentication ?? "{ type: bearer, token: '{token}' }"}
credentialFields:
  - { ShortName: token, DisplayName: Token, Type: ${shape.type ?? 'password'}, Required: true }
`,
})

describe('an item of the organization', () => {
  const kinds = [
    [
      'application',
      'DeleteApplication',
      (id: string, name: string, text: string) => [applicationFile(id, name, { description: text })],
    ],
    [
      'function',
      'DeleteFunction',
      (id: string, name: string, text: string) => [functionFile(id, name, `return "${text}"`)],
    ],
    [
      'block template',
      'DeleteBlockTemplate',
      (id: string, name: string, text: string) => blockFiles({ id, name, version: text, script: `return "${text}"` }),
    ],
  ] as const

  it.each(kinds)(
    '(%s) is changed and deleted by its creator, a SuperPartner or a Manager only',
    async (what, operation, files) => {
      const [id, name] = [randomUUID(), newName()]
      await brought(files(id, name, 'one'))
      const refused = await importFiles(files(id, name, 'two'), neighbour)
      expect(refused.status, refused.text).toBe(400)
      expect(refused.body.errorMessage).toContain('belongs to the account that created it')
      expect(refused.body.response.problems).toEqual([
        expect.objectContaining({ message: expect.stringContaining(what) }),
      ])
      const deleted = await neighbour.get(`/api/${operation}/${id}`)
      expect([deleted.status, deleted.body.errorMessage]).toEqual([
        403,
        expect.stringContaining('SuperPartner or a Manager'),
      ])
      // Said again without a change it is nobody's harm.
      expect((await brought(files(id, name, 'one'), neighbour)).imported).toMatchObject([{ change: 'unchanged' }])
      expect((await brought(files(id, name, 'three'), superPartner)).imported).toMatchObject([{ change: 'changed' }])
      // The change of a SuperPartner does not take it away from its creator.
      expect((await brought(files(id, name, 'four'))).imported).toMatchObject([{ change: 'changed' }])
      expect((await service.manager.get(`/api/${operation}/${id}`)).body).toBe(true)
      // What is gone belongs to nobody.
      expect((await brought(files(id, name, 'five'), neighbour)).imported).toMatchObject([{ change: 'created' }])
    },
  )

  it('as a draft is published and thrown away by its creator, a SuperPartner or a Manager only', async () => {
    const [blockId, id, name] = [randomUUID(), randomUUID(), newName()]
    await brought([
      ...blockFiles({ id: blockId, name, version: null }),
      workflowFile({ id, name, version: null }, blockId),
    ])
    const refusals = await Promise.all([
      neighbour.get(`/api/PublishBlockTemplate/${blockId}`),
      neighbour.get(`/api/PublishWorkflowTemplate/${id}`),
      neighbour.get(`/api/DeleteBlockTemplateDraft/${blockId}`),
      neighbour.get(`/api/DeleteWorkflowTemplateDraft/${id}`),
      neighbour.get(`/api/DeleteWorkflowTemplate/${id}`),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect((await owner.get(`/api/PublishBlockTemplate/${blockId}`)).body).toBe('1')
    expect((await superPartner.get(`/api/DeleteWorkflowTemplateDraft/${id}`)).body).toBe(true)
  })

  it('that existed before belongs to who brought it first', async () => {
    const [id, name] = [randomUUID(), newName()]
    await brought([functionFile(id, name, 'return 1')])
    expect(
      await service.asOwner(
        'select 1 from catalog_owners o join catalog_items i using (organization_id, kind, id) where id = $1 and o.account_id = i.created_by',
        [id],
      ),
    ).toHaveLength(1)
  })
})

describe('an application that moves', () => {
  async function registered(shape: Shape = {}) {
    const [id, name] = [randomUUID(), newName()]
    await brought([applicationFile(id, name, shape)])
    const credentialsJson = JSON.stringify({ token: 'secret-of-a-customer' })
    const made = await customer.client.post('/api/RegApplication', { applicationId: id, credentialsJson })
    expect(made.status, made.text).toBe(200)
    const get = () => customer.client.get(`/api/ApiGet?url=${name}/x`)
    expect((await get()).status).toBe(200)
    return { id, name, regId: made.body as string, get }
  }
  const find = async (name: string) =>
    (await customer.client.post('/api/RegApplications', { page: 0, size: 10, searchTerm: name })).text

  it.each([
    ['its address', () => ({ baseUrl: elsewhere.origin })],
    ['its allowed hosts', () => ({ hosts: `'127.0.0.1:1'` })],
    ['its authentication', () => ({ authentication: "{ type: apiKey, in: query, name: key, value: '{token}' }" })],
    ['the secrecy of a field', () => ({ type: 'text' })],
  ])('with %s gets no stored credentials until they are given anew', async (_what, changed) => {
    const { id, name, regId, get } = await registered()
    const before = elsewhere.received.length + target.received.length
    await brought([applicationFile(id, name, changed())])
    const refused = await eventually(async () => {
      const answer = await get()
      return answer.status === 400 ? answer : undefined
    })
    expect(refused.body.errorMessage).toContain('Enter them again')
    const chosen = await customer.client.send('GET', `/api/ApiGet?url=${name}/x`, undefined, { AppKey: regId })
    expect([chosen.status, chosen.body.errorMessage]).toEqual([400, expect.stringContaining('Enter them again')])
    expect(await find(name)).toMatch(/"isAuthenticated":false,"isFaulted":true,"faultMessage":"[^"]*Enter them again/)
    expect(elsewhere.received.length + target.received.length).toBe(before)
    // A new label alone gives nothing back.
    expect((await customer.client.post(`/api/RegApplication/${regId}`, { tagText: 'Renamed' })).status).toBe(200)
    expect((await get()).status).toBe(400)
    const credentialsJson = JSON.stringify({ token: 'given-anew' })
    const again = await customer.client.post(`/api/RegApplication/${regId}`, { credentialsJson })
    expect(again.status, again.text).toBe(200)
    expect((await get()).status).toBe(200)
    expect(JSON.stringify(elsewhere.received)).not.toContain('secret-of-a-customer')
  })

  it('tells the owner by mail, and pauses what starts by itself', async () => {
    const { id, name, regId } = await registered()
    const script = `return await api.get('${name}/x')`
    const workflow = await deployWorkflow(customer.client, [script], { applications: { [name]: regId } })
    await brought([applicationFile(id, name, { baseUrl: elsewhere.origin })])
    expect((await customer.client.get(`/api/Workflow/${workflow.id}`)).body.isAutoRunPaused).toBe(true)
    const mails = (await customer.client.post('/api/GetOutbox', { page: 0, size: 50 })).text
    expect(mails).toContain(`Connection to Our ${name} needs your attention`)
  })

  it('in its description or name only keeps everything working', async () => {
    const { id, name, get } = await registered()
    await brought([applicationFile(id, name, { description: 'Other words.' })])
    expect((await get()).status).toBe(200)
    expect(target.received.at(-1)?.headers['authorization']).toBe('Bearer secret-of-a-customer')
  })

  it('does not lead an authorization under way to its new address', async () => {
    const [id, name] = [randomUUID(), newName()]
    const oauth = (origin: string) =>
      `{ type: oauth2AuthorizationCode, authorizationUrl: '${origin}/authorize', tokenUrl: '${origin}/token', clientId: me, clientSecret: '{token}', scopes: [] }`
    await brought([applicationFile(id, name, { authentication: oauth(target.origin) })])
    const credentialsJson = JSON.stringify({ token: 'client-secret' })
    const begun = await customer.client.post('/api/RegApplication', { applicationId: id, credentialsJson })
    const state = new URL(begun.body).searchParams.get('state')
    await brought([applicationFile(id, name, { authentication: oauth(elsewhere.origin) })])
    const before = elsewhere.received.length
    const page = await fetch(`${service.baseUrl}/oauth/callback?code=1&state=${state}`)
    expect(page.status).toBe(400)
    expect(elsewhere.received.length).toBe(before)
  })
})

describe('a library function', () => {
  it('stays as it was for a deployed workflow until that is deployed again', async () => {
    const [id, name] = [randomUUID(), newName()]
    await brought([functionFile(id, name, 'return "old"')])
    const deployed = await deployWorkflow(customer.client, [`return fx.${name}()`])
    const resultOf = async () => {
      const run = await runToEnd(customer.client, deployed.id)
      return (await blockResult(customer.client, deployed, 1, run.lockVersionNumber)).body.result
    }
    expect(await resultOf()).toBe('old')
    await brought([functionFile(id, name, 'return "new"')])
    // Another workflow that is deployed now shows when the change has arrived everywhere.
    const later = await createWorkflow(customer.client, [`return fx.${name}()`])
    expect((await customer.client.get(`/api/DeployWorkflow/${later.id}`)).status).toBe(200)
    await eventually(async () => {
      const run = await runToEnd(customer.client, later.id)
      return (await blockResult(customer.client, later, 1, run.lockVersionNumber)).body.result === 'new' || undefined
    })
    expect(await resultOf()).toBe('old')
    // A change of the workflow is no deployment.
    await customer.client.post(`/api/Workflow/${deployed.id}`, { description: 'Changed' })
    expect(await resultOf()).toBe('old')
    expect((await customer.client.get(`/api/DeployWorkflow/${deployed.id}`)).body).toBe(deployed.id)
    await eventually(async () => (await resultOf()) === 'new' || undefined)
  })

  it('that came after a workflow was deployed can be called by its next revision', async () => {
    const deployed = await deployWorkflow(customer.client, ['return 1'])
    const [id, name] = [randomUUID(), newName()]
    await brought([functionFile(id, name, 'return "added"')])
    const chain = [{ uniqueBlockId: deployed.blocks[0], script: `return fx.${name}()` }]
    await customer.client.post(`/api/Workflow/${deployed.id}`, { chain })
    await eventually(async () => {
      const run = await runToEnd(customer.client, deployed.id)
      return run.status === 'Ready' || undefined
    })
  })
})

describe('an import', () => {
  const good = () => blockFiles({ id: randomUUID(), name: newName(), version: '1' })
  const bad = (): File => ({ path: 'workflows/broken.txt', content: 'Not a template.' })

  it('with a problem is refused as a whole, and lists it', async () => {
    const files = [...good(), bad()]
    const refused = await importFiles(files, owner)
    expect(refused.status).toBe(400)
    expect(refused.body.response.problems).toEqual([expect.objectContaining({ file: 'workflows/broken.txt' })])
    const id = /id: (\S+)/.exec(files[0]?.content ?? '')?.[1]
    expect((await owner.get(`/api/BlockTemplate/${id}`)).status).toBe(404)
    const partial = await importFiles(files, owner, '?partial=true')
    expect([partial.status, partial.body.imported.length, partial.body.problems.length]).toEqual([200, 1, 1])
    expect((await owner.get(`/api/BlockTemplate/${id}`)).status).toBe(200)
  })

  it('as a dry run tells what it would do and does nothing', async () => {
    const files = [...good(), bad()]
    const stamp = () => service.asOwner('select stamp, (select count(*) from audit_log) from catalog_stamps')
    const before = await stamp()
    const dry = await importFiles(files, owner, '?dryRun=true')
    expect(dry.status, dry.text).toBe(200)
    expect(dry.body).toMatchObject({
      imported: [{ change: 'created', version: '1' }],
      problems: [{ file: 'workflows/broken.txt' }],
    })
    expect((await owner.get(`/api/BlockTemplate/${dry.body.imported[0].id}`)).status).toBe(404)
    expect(await stamp()).toEqual(before)
  })

  it('as a dry run of nothing but problems is an answer too', async () => {
    const dry = await importFiles([bad()], owner, '?dryRun=true')
    expect([dry.status, dry.body.imported, dry.body.problems.length]).toEqual([200, [], 1])
  })
})
