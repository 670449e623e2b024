// Upgrades that replay first, fill what is newly required, and meet input that nobody hoped for.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import { actOn, previewUpgrade, startUpgrade, upgradeIn } from '../harness/upgrades.ts'
import { runToEnd } from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await startService()
  client = service.manager
})
afterAll(() => service[Symbol.asyncDispose]())

async function makeWorkflow(workflowTemplateId: string, more: Record<string, unknown> = {}): Promise<string> {
  const made = await client.post('/api/Workflow', { workflowTemplateId, ...more })
  expect(made.status, made.text).toBe(200)
  return made.body
}
const read = async (id: string) => (await client.get(`/api/Workflow/${id}`)).body
const outcomes = (upgrade: { items: { workflowId: string; outcome: string }[] }) =>
  Object.fromEntries(upgrade.items.map(({ workflowId, outcome }) => [workflowId, outcome]))

/** Two versions of one block, with one workflow of the first for each value of `own`; each has run once. */
async function ranBefore(first: string, second: string, own: readonly unknown[]) {
  const template = createTemplate(client)
  const variables = [{ shortName: 'own', displayName: 'Own', type: 'json', required: false }]
  const block = newBlock(first, { variables: { own: { variableSource: 'Workflow', variableName: 'own' } } })
  await template.publish('1', { chain: [block], variables })
  const ids: string[] = []
  for (const value of own) {
    const id = await makeWorkflow(template.id, { variables: { own: value } })
    expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
    await runToEnd(client, id)
    ids.push(id)
  }
  await template.publish('2', { chain: [{ ...block, script: second }], variables })
  return { ...template, block, ids }
}

describe('an upgrade with replayRuns', () => {
  it('leaves alone what worked and would fail, and upgrades the others', async () => {
    const first = 'if (variables.own === "never") throw new Error("as always")\nconst kept = 1\nreturn variables.own'
    const second = first.replace('return variables.own', 'return variables.own.length')
    const { id, ids } = await ranBefore(first, second, ['text', null, 'never'])
    const [works, breaks, failedBefore] = ids as [string, string, string]
    const preview = await previewUpgrade(client, id, { replayRuns: 5 })
    expect(outcomes(preview)).toEqual({ [works]: 'clean', [breaks]: 'conflict', [failedBefore]: 'clean' })
    expect(preview.counts).toEqual({ upToDate: 0, clean: 2, conflict: 1, problem: 0 })
    const reason = expect.stringContaining('Run 1 was Ready, but its replay with the new version fails:')
    const broken = preview.items.find(({ workflowId }: { workflowId: string }) => workflowId === breaks)
    expect(broken).toMatchObject({ message: reason, problems: [reason], conflicts: [] })
    const onlyBroken = await previewUpgrade(client, id, { replayRuns: 5, outcome: 'conflict' })
    expect(onlyBroken.items.map(({ workflowId }: { workflowId: string }) => workflowId)).toEqual([breaks])
    expect(await read(breaks)).toMatchObject({ revision: 1, templateVersion: '1' })
    const upgrade = await upgradeIn(client, await startUpgrade(client, id, { replayRuns: 5 }), 'Completed')
    expect(outcomes(upgrade)).toEqual({ [works]: 'upgraded', [breaks]: 'conflict', [failedBefore]: 'upgraded' })
    const item = upgrade.items.find(({ workflowId }: { workflowId: string }) => workflowId === breaks)
    expect(item).toMatchObject({ revisionAfter: null, message: expect.stringContaining('Run 1 was Ready') })
    expect(item.message).toContain('length')
    expect(await read(breaks)).toMatchObject({ revision: 1, templateVersion: '1' })
    const history = await client.post(`/api/GetRunHistory/${breaks}`, { page: 0, size: 10 })
    expect(history.body.total).toBe(1)
  })

  it('previews no more workflows at once than somebody waits for', async () => {
    const template = createTemplate(client)
    await template.publish('1', { chain: [newBlock('return 1')] })
    const id = await makeWorkflow(template.id)
    await template.publish('2', { chain: [newBlock('return 2')] })
    await service.asOwner(
      `insert into workflows (id, account_id, organization_id, name, description, workflow_template_id, template_version, is_customized_structure)
       select gen_random_uuid(), account_id, organization_id, name, description, workflow_template_id, template_version, is_customized_structure
       from workflows, generate_series(1, 200) where id = $1`,
      [id],
    )
    const given = { workflowTemplateId: template.id, replayRuns: 1 }
    const refused = await client.post('/api/TemplateUpgradePreview', given)
    expect([refused.status, refused.body.errorMessage]).toEqual([
      400,
      'With replayRuns, a preview covers at most 200 workflows. Name them in workflowIds.',
    ])
    expect((await client.post('/api/TemplateUpgradePreview', { ...given, workflowIds: [id] })).status).toBe(200)
  })

  it('upgrades what has nothing recorded', async () => {
    const template = createTemplate(client)
    const block = newBlock('return 1')
    await template.publish('1', { chain: [block] })
    const never = await makeWorkflow(template.id)
    const unrecorded = await makeWorkflow(template.id, { replayRuns: 0 })
    await client.get(`/api/DeployWorkflow/${unrecorded}`)
    await runToEnd(client, unrecorded)
    await template.publish('2', { chain: [{ ...block, script: 'throw new Error("new")' }] })
    const upgrade = await upgradeIn(client, await startUpgrade(client, template.id, { replayRuns: 200 }), 'Completed')
    expect(outcomes(upgrade)).toEqual({ [never]: 'upgraded', [unrecorded]: 'upgraded' })
  })
})

it('a block that the customer keeps takes the workflow out of its template, and it can be made again from its answer', async () => {
  const template = createTemplate(client)
  const [stays, goes] = [newBlock('return 1'), newBlock('return 2', { blockName: 'Goes' })]
  await template.publish('1', { chain: [stays, goes] })
  const id = await makeWorkflow(template.id)
  const { uniqueBlockId } = goes
  expect((await client.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId, script: 'return 3' }] })).status).toBe(
    200,
  )
  await template.publish('2', { chain: [stays] })
  const { revision } = await read(id)
  const resolutions = [{ workflowId: id, revision, uniqueBlockId, field: 'block', take: 'customer' }]
  const upgrade = { workflowIds: [id], resolutions }
  await upgradeIn(client, await startUpgrade(client, template.id, upgrade), 'Completed')
  const kept = await read(id)
  expect(kept).toMatchObject({ isCustomizedStructure: true, templateVersion: '2' })
  const again = await client.post('/api/Workflow', kept)
  expect(again.status, again.text).toBe(200)
  const scripts = ({ chain }: { chain: { script: string }[] }) => chain.map(({ script }) => script)
  expect(scripts(await read(again.body))).toEqual(scripts(kept))
})

describe('values', () => {
  /** A block template whose second version wants one more variable. */
  async function twoBlockVersions() {
    const [blockTemplateId, uniqueBlockId] = [randomUUID(), randomUUID()]
    const name = `block-${blockTemplateId.slice(0, 8)}`
    const template = createTemplate(client)
    const publish = async (version: string, variables: { shortName: string }[]) => {
      const file = { id: blockTemplateId, name, description: '', version, state: 'Published', script: `${name}.js` }
      const files = [
        { path: `blocks/${name}.yaml`, content: JSON.stringify({ ...file, variables }) },
        { path: `blocks/${name}.js`, content: 'return variables' },
      ]
      const imported = await client.post('/api/CatalogImport', { files })
      expect(imported.status, imported.text).toBe(200)
      const bound = variables.map(({ shortName }) => [shortName, { variableSource: 'Value', value: '' }])
      const element = { uniqueBlockId, blockName: 'Only', blockTemplateId, variables: Object.fromEntries(bound) }
      await template.publish(version, { chain: [element as never] })
    }
    await publish('1', [])
    const workflowId = await makeWorkflow(template.id)
    const required = (shortName: string, type: string) => ({ shortName, displayName: shortName, type, required: true })
    await publish('2', [required('city', 'text'), required('token', 'password')])
    return { id: template.id, uniqueBlockId, workflowId }
  }

  it('fill newly required variables of blocks, and passwords stay sealed', async () => {
    const { id, uniqueBlockId, workflowId } = await twoBlockVersions()
    const [item] = (await previewUpgrade(client, id)).items
    expect(item).toMatchObject({ outcome: 'problem', problems: [expect.stringContaining('"city"'), expect.anything()] })
    const need = { kind: 'blockVariable', uniqueBlockId }
    expect(item.needs).toEqual([
      { ...need, name: 'city', type: 'text', displayName: 'city', message: item.problems[0] },
      { ...need, name: 'token', type: 'password', displayName: 'token', message: item.problems[1] },
    ])
    const blocks = { [uniqueBlockId.toUpperCase()]: { city: 'Bergen', token: 's3cret' } }
    const values = [{ workflowId, blocks }]
    const upgrade = await upgradeIn(client, await startUpgrade(client, id, { values }), 'Completed')
    expect(outcomes(upgrade)).toEqual({ [workflowId]: 'upgraded' })
    const now = await read(workflowId)
    expect(now.chain[0].variables).toMatchObject({ city: { value: 'Bergen' }, token: { value: '********' } })
    const stored = await service.asOwner('select definition::text from workflow_revisions where workflow_id = $1', [
      workflowId,
    ])
    expect(JSON.stringify(stored)).not.toContain('s3cret')
  })

  it.each([
    ['a block that is not there', (_block: string) => ({ [randomUUID()]: { city: 'x' } }), 'no block'],
    ['a variable that is not declared', (block: string) => ({ [block]: { nobody: 1 } }), 'not declared'],
    ['a value of another type', (block: string) => ({ [block]: { city: 7 } }), 'must be text'],
  ])('are refused for %s', async (_what, blocksOf, sentence) => {
    const { id, uniqueBlockId, workflowId } = await twoBlockVersions()
    const values = [{ workflowId, blocks: blocksOf(uniqueBlockId) }]
    const refused = await client.post('/api/TemplateUpgrade', { workflowTemplateId: id, values })
    expect([refused.status, refused.body.errorMessage]).toEqual([400, expect.stringContaining(sentence)])
    expect(await read(workflowId)).toMatchObject({ revision: 1 })
  })

  it('never replace what a customer gave', async () => {
    const { id, block, ids } = await ranBefore('return 1', 'return 2', [7])
    const given = [{ variables: { own: 8 } }, { blocks: { [block.uniqueBlockId]: { own: 8 } } }]
    for (const one of given) {
      const values = [{ workflowId: ids[0], ...one }]
      const refused = await client.post('/api/TemplateUpgrade', { workflowTemplateId: id, values })
      expect([refused.status, refused.body.errorMessage]).toEqual([400, expect.stringContaining('never changed')])
    }
  })
})

describe('what nobody hoped for', () => {
  const long = (first: string, from: number) =>
    [
      first,
      ...Array.from(
        { length: 5000 },
        (_, no) => `const value${no} = ${no % 6 === from ? no + 1 : no} // ${'€'.repeat(10)}`,
      ),
      'return start',
    ].join('\n')

  it('a version without blocks is not published, so nothing can be upgraded to it', async () => {
    const template = createTemplate(client)
    await template.publish('1', { chain: [newBlock('return 1')] })
    const workflowId = await makeWorkflow(template.id)
    await expect(template.publish('2', { chain: [] })).rejects.toThrow('must not have fewer than 1 items')
    const refused = await client.post('/api/TemplateUpgrade', { workflowTemplateId: template.id, toVersion: '2' })
    expect(refused.status).toBe(400)
    expect(await read(workflowId)).toMatchObject({ revision: 1, templateVersion: '1' })
  })

  it('scripts of 256 KB with a thousand differences on each side merge', async () => {
    const template = createTemplate(client)
    const block = newBlock(long('let start = 1', -1))
    expect(Buffer.byteLength(block.script)).toBeGreaterThan(256_000)
    await template.publish('1', { chain: [block] })
    const own = { uniqueBlockId: block.uniqueBlockId, script: long('let start = 1', 0).replaceAll('\n', '\r\n') }
    const workflowId = await makeWorkflow(template.id, { chain: [own] })
    await template.publish('2', { chain: [{ ...block, script: long('let start = 1', 3) }] })
    const started = await startUpgrade(client, template.id)
    expect(outcomes(await upgradeIn(client, started, 'Completed'))).toEqual({ [workflowId]: 'upgraded' })
    const lines = (await read(workflowId)).chain[0].script.split('\r\n')
    expect(lines).toHaveLength(5002)
    expect([lines[1], lines[4], lines[2]].map((line) => line.split(' //')[0])).toEqual([
      'const value0 = 1',
      'const value3 = 4',
      'const value1 = 1',
    ])
  })

  it('line ends that differ are no change', async () => {
    const template = createTemplate(client)
    const block = newBlock('let a = 1\nconst kept = 1\nreturn a')
    await template.publish('1', { chain: [block] })
    const own = { uniqueBlockId: block.uniqueBlockId, script: block.script.replaceAll('\n', '\r\n') }
    const workflowId = await makeWorkflow(template.id, { chain: [own] })
    await template.publish('2', { chain: [{ ...block, script: 'return 2' }] })
    expect((await previewUpgrade(client, template.id)).counts).toMatchObject({ clean: 1 })
    await upgradeIn(client, await startUpgrade(client, template.id), 'Completed')
    expect((await read(workflowId)).chain[0].script).toBe('return 2')
  })

  it('an archived workflow that is named is skipped, a deleted one is not found', async () => {
    const { id, ids } = await ranBefore('return 1', 'return 2', [1, 2])
    const [archived, deleted] = ids as [string, string]
    await client.get(`/api/ArchiveWorkflow/${archived}`)
    await client.get(`/api/ArchiveWorkflow/${deleted}`)
    expect((await client.get(`/api/DeleteWorkflow/${deleted}`)).status).toBe(200)
    const started = await startUpgrade(client, id, { workflowIds: [archived] })
    expect(outcomes(await upgradeIn(client, started, 'Completed'))).toEqual({ [archived]: 'skipped' })
    const gone = await client.post('/api/TemplateUpgrade', { workflowTemplateId: id, workflowIds: [deleted] })
    expect(gone.status).toBe(404)
  })

  it('of many upgrades started at once, one runs', async () => {
    const { id } = await ranBefore('return 1', 'return 2', [1, 2])
    const body = { workflowTemplateId: id, waveSize: 1, waveMinutes: 60 }
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post('/api/TemplateUpgrade', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const started = answers.find(({ status }) => status === 200)?.body.upgradeId
    await actOn(client, started, 'rollBack')
    await upgradeIn(client, started, 'RolledBack')
  })
})

it('upgrades that are over go when runs of their age do, unless they are still watched', async () => {
  const { id, ids } = await ranBefore('return 1', 'return 2', [1])
  const watched = await startUpgrade(client, id)
  await upgradeIn(client, watched, 'Completed')
  const over = await startUpgrade(client, id, { workflowIds: ids })
  await upgradeIn(client, over, 'Completed')
  await service.asOwner(`update template_upgrades set ended_at = now() - interval '31 days' where id in ($1, $2)`, [
    watched,
    over,
  ])
  await using worker = await service.startAnother({}, 'worker')
  expect(worker.baseUrl).toBe('')
  await eventually(async () => (await client.get(`/api/TemplateUpgrade/${over}`)).status === 404)
  expect((await client.get(`/api/TemplateUpgrade/${watched}`)).status).toBe(200)
})
