// A published version never changes: not when its block templates do, and not for the workflows made from it.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockFiles, type File, workflowFile } from './catalog-files.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const newName = () => `name${randomUUID().slice(0, 8)}`

async function importFiles(files: File[]) {
  const answer = await service.manager.post('/api/CatalogImport', { files })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const block = (id: string, name: string, version: string | null) =>
  blockFiles({ id, name, version, script: `return ${version ?? 0}` })
const addTo =
  (more: string) =>
  (file: File): File =>
    file.path.endsWith('.yaml') ? { ...file, content: file.content + more } : file
const template = async (id: string, query = '') =>
  (await service.manager.get(`/api/WorkflowTemplate/${id}${query}`)).body
const scriptOf = async (id: string, query = '') => (await template(id, query)).chain[0].script

async function makeWorkflow(workflowTemplateId: string, more: Record<string, unknown> = {}) {
  const made = await service.manager.post('/api/Workflow', { workflowTemplateId, ...more })
  expect(made.status, made.text).toBe(200)
  return made.body as string
}

async function basesOf(workflowId: string) {
  return service.asOwner(
    `select r.revision, b.template_version as version, b.definition, encode(b.digest, 'hex') as digest
     from workflow_revisions r left join workflow_bases b on b.digest = r.base_digest where r.workflow_id = $1 order by 1`,
    [workflowId],
  )
}

/** A block of version 1, a workflow template of version 1 on it, then a block of version 2. */
async function publishTwice() {
  const sample = { blockId: randomUUID(), block: newName(), id: randomUUID(), name: newName() }
  const chain = workflowFile({ id: sample.id, name: sample.name, version: '1' }, sample.blockId)
  await importFiles([...block(sample.blockId, sample.block, '1'), chain])
  const before = await template(sample.id, '?version=1')
  await importFiles(block(sample.blockId, sample.block, '2'))
  return { ...sample, chain, before }
}

describe('a published workflow template', () => {
  it('reads the same after its block templates have a newer version', async () => {
    const { id, before } = await publishTwice()
    expect(before.chain[0]).toMatchObject({ script: 'return 1\n', blockTemplateVersion: '1' })
    expect(await template(id, '?version=1')).toEqual(before)
    expect(await template(id)).toEqual(before)
  })

  it('makes the same workflow from the same version, whenever that is', async () => {
    const { id } = await publishTwice()
    const workflow = await service.manager.get(`/api/Workflow/${await makeWorkflow(id)}`)
    expect(workflow.body).toMatchObject({ templateVersion: '1', chain: [{ script: 'return 1\n' }] })
  })

  it('takes the newer block with its own next version, and only there', async () => {
    const { id, chain, before } = await publishTwice()
    const next = { ...chain, content: chain.content.replace("version: '1'", "version: '2'") }
    await importFiles([next])
    expect(await scriptOf(id)).toBe('return 2\n')
    expect(await template(id, '?version=1')).toEqual(before)
  })

  it('made from a draft is pinned by publishing; the draft itself follows its blocks', async () => {
    const [blockId, name, id] = [randomUUID(), newName(), randomUUID()]
    await importFiles([...block(blockId, name, '1'), workflowFile({ id, name: newName(), version: null }, blockId)])
    expect(await scriptOf(id, '?isDraft=true')).toBe('return 1\n')
    await importFiles(block(blockId, name, '2'))
    expect(await scriptOf(id, '?isDraft=true')).toBe('return 2\n')
    expect((await service.manager.get(`/api/PublishWorkflowTemplate/${id}`)).body).toBe('1')
    await importFiles(block(blockId, name, '3'))
    expect(await scriptOf(id, '?version=1')).toBe('return 2\n')
  })

  it('brought together with an earlier version of its block stands on that one', async () => {
    const { blockId, block: name } = await publishTwice()
    const id = randomUUID()
    await importFiles([...block(blockId, name, '1'), workflowFile({ id, name: newName(), version: '1' }, blockId)])
    expect(await scriptOf(id)).toBe('return 1\n')
  })

  it.each([
    ['refused', 'return "never published"', ''],
    ['no script', 'return (', ''],
    ['badly described', 'return 2', 'unknown: key\n'],
  ])('brought together with a block that is %s is refused as well, and pins nothing', async (_how, script, more) => {
    const [blockId, name, id, good] = [randomUUID(), newName(), randomUUID(), randomUUID()]
    await importFiles(block(blockId, name, '1'))
    const files = [
      ...blockFiles({ id: blockId, name, version: '1', script }).map(addTo(more)),
      ...block(good, newName(), '1'),
      workflowFile({ id, name: 'chain', version: '1' }, blockId),
    ]
    const { body } = await service.manager.post('/api/CatalogImport?partial=true', { files })
    expect(body.imported.map((item: { id: string }) => item.id)).toEqual([good])
    expect(body.problems.map((problem: { file: string }) => problem.file)).toEqual([
      expect.stringContaining(`blocks/${name}.`),
      'workflows/chain.yaml',
    ])
    expect((await service.manager.get(`/api/WorkflowTemplate/${id}`)).status).toBe(404)
  })

  it('stands on the published version beside a draft that is broken', async () => {
    const [blockId, name, id] = [randomUUID(), newName(), randomUUID()]
    await importFiles(block(blockId, name, '1'))
    const files = [
      ...blockFiles({ id: blockId, name, version: null, script: 'return (' }),
      workflowFile({ id, name: newName(), version: '1' }, blockId),
    ]
    const { body } = await service.manager.post('/api/CatalogImport?partial=true', { files })
    expect(body.imported).toMatchObject([{ id }])
    expect(await scriptOf(id)).toBe('return 1\n')
  })

  it('is unchanged when it is imported again, and exported as its author wrote it', async () => {
    const { id, name, chain } = await publishTwice()
    expect((await importFiles([chain])).imported).toMatchObject([{ id, change: 'unchanged' }])
    const { files } = (await service.manager.get('/api/CatalogExport')).body
    const exported = files.find(({ path }: File) => path === `workflows/${name}.yaml`)
    expect(exported.content).toContain(`id: ${id}`)
    expect(exported.content).not.toContain('pinned')
  })

  it('cannot be pinned again by the service itself', async () => {
    const { id, before } = await publishTwice()
    for (const role of ['patchbay_app', 'patchbay_system']) {
      await service.asOwner(
        `set role ${role}; select set_config('patchbay.organization_id', '${service.firstAccount.organizationId}', false);
         update catalog_items set pinned = '[]' where id = '${id}'`,
      )
    }
    expect(await template(id, '?version=1')).toEqual(before)
    expect(
      await service.asOwner('select 1 from catalog_items where id = $1 and pinned::text = $2', [id, '[]']),
    ).toEqual([])
  })
})

describe('the base of a workflow', () => {
  it('is what the template says, without what the customer gave, and stays with every revision', async () => {
    const { id, before } = await publishTwice()
    const { uniqueBlockId } = before.chain[0]
    const workflowId = await makeWorkflow(id, { name: 'Mine', chain: [{ uniqueBlockId, script: 'return "mine"' }] })
    await service.manager.post(`/api/Workflow/${workflowId}`, { description: 'Changed' })
    const bases = await basesOf(workflowId)
    expect(bases.map(({ revision, version }) => [revision, version])).toEqual([
      [1, '1'],
      [2, '1'],
    ])
    expect(bases[0]?.['definition']).toMatchObject({
      description: 'A chain of ours.',
      chain: [{ uniqueBlockId, script: 'return 1\n', isCustomized: false }],
    })
    expect(bases[1]?.['digest']).toBe(bases[0]?.['digest'])
  })

  it('is kept once for all workflows of a version', async () => {
    const { id } = await publishTwice()
    const made = [await makeWorkflow(id, { name: 'One' }), await makeWorkflow(id, { name: 'Two' })]
    const digests = (await Promise.all(made.map(basesOf))).flat().map(({ digest }) => digest)
    expect(new Set(digests).size).toBe(1)
  })

  it('does not exist for a workflow without a template', async () => {
    const chain = [{ blockName: 'Only', script: 'return 1' }]
    const made = await service.manager.post('/api/Workflow', { name: 'Own', chain })
    expect(await basesOf(made.body)).toEqual([{ revision: 1, version: null, definition: null, digest: null }])
  })
})

describe('what existed before', () => {
  it('is pinned at the next start: templates as they were published, workflows as they were made', async () => {
    const { id, before } = await publishTwice()
    const { uniqueBlockId } = before.chain[0]
    const plain = await makeWorkflow(id)
    const edited = await makeWorkflow(id, { chain: [{ uniqueBlockId, script: 'return "mine"' }] })
    // As an earlier program left them: nothing is pinned, and the plain workflow was made after the block's version 2.
    await service.asOwner('update catalog_items set pinned = null where id = $1', [id])
    await service.asOwner('update catalog_stamps set stamp = stamp + 1')
    await service.asOwner('update workflow_revisions set base_digest = null where workflow_id = any($1)', [
      [plain, edited],
    ])
    await service.asOwner(
      `update workflow_revisions set definition = jsonb_set(definition::jsonb, '{chain,0,script}', '"return 2"') where workflow_id = $1`,
      [plain],
    )
    await service.asOwner('insert into workflows_without_base select unnest($1::uuid[])', [[plain, edited]])
    expect(await scriptOf(id)).toBe('return 2\n')

    await using _second = await service.startAnother({}, 'api')
    expect(await template(id, '?version=1')).toEqual(before)
    const scripts = await Promise.all([plain, edited].map(async (one) => (await basesOf(one))[0]?.['definition']))
    expect(scripts).toMatchObject([{ chain: [{ script: 'return 2' }] }, { chain: [{ script: 'return 1\n' }] }])
    expect(await service.asOwner('select 1 from workflows_without_base')).toEqual([])
  })
})
