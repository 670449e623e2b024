import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { startService, type TestService } from '../harness/service.ts'
import { applicationFile, blockFiles, type File, workflowFile } from './catalog-files.ts'

let service: TestService
let other: Client
beforeAll(async () => {
  service = await startService()
  other = (await createOrganization(service)).manager
})
afterAll(() => service[Symbol.asyncDispose]())

const importFiles = (files: File[], client: Client = service.manager) => client.post('/api/CatalogImport', { files })
const block = (id: string, query = '', client: Client = service.manager) =>
  client.get(`/api/BlockTemplate/${id}${query}`)
const workflow = (id: string, query = '', client: Client = service.manager) =>
  client.get(`/api/WorkflowTemplate/${id}${query}`)
const newName = () => `name${randomUUID().slice(0, 8)}`

describe('who may import', () => {
  it.each([
    ['User', 403],
    ['DevPartner', 200],
    ['SuperPartner', 200],
  ])('a %s gets %i', async (role, status) => {
    const account = await createAccount(service, service.manager, role)
    const files = blockFiles({ id: randomUUID(), name: newName(), version: '1' })
    expect((await importFiles(files, account.client)).status).toBe(status)
    expect((await account.client.get('/api/CatalogExport')).status).toBe(status)
    expect((await account.client.get(`/api/PublishBlockTemplate/${randomUUID()}`)).status).toBe(
      status === 200 ? 404 : 403,
    )
  })
})

describe('an import', () => {
  const withNul = blockFiles({ id: randomUUID(), name: 'nul', version: 'NUL' }).map((file) => ({
    ...file,
    content: file.content.replace("'NUL'", '"1\\0"'),
  }))

  it('makes an application that the organization sees beside the shipped ones, and others do not', async () => {
    const id = randomUUID()
    const shortName = newName()
    const { status, body } = await importFiles([applicationFile(id, shortName)])
    expect(status).toBe(200)
    expect(body).toEqual({
      imported: [
        {
          entityType: 'application',
          id,
          name: `${shortName} of ours`,
          version: null,
          state: 'Published',
          change: 'created',
        },
      ],
      problems: [],
      warnings: [],
    })
    const found = await service.manager.post('/api/Applications', { searchTerm: shortName })
    expect(found.body.applications).toEqual([
      expect.objectContaining({ id, shortName, description: 'A service that only we have.', logo: null }),
    ])
    expect((await other.post('/api/Applications', { searchTerm: shortName })).body.total).toBe(0)
    expect((await other.get('/api/Applications')).text).not.toContain(id)
    const listed = (await service.manager.get('/api/Applications')).body.find((item: { id: string }) => item.id === id)
    expect(listed).toMatchObject({ logoImage: null, credentialsJson: { token: null } })
  })

  it('holds at once in every process', async () => {
    await using second = await service.startAnother()
    const id = randomUUID()
    const name = newName()
    const elsewhere = second.client(service.firstAccount)
    expect((await block(id, '', elsewhere)).status).toBe(404)
    await importFiles(blockFiles({ id, name, version: '1', script: 'return 1' }))
    expect((await block(id, '', elsewhere)).body.script).toBe('return 1\n')
    await importFiles(blockFiles({ id, name, version: '2', script: 'return 2' }), elsewhere)
    expect((await block(id)).body.script).toBe('return 2\n')
  })

  it('in part stores what is right, names what is broken with file and line, and leaves that out', async () => {
    const good = randomUUID()
    const files = [
      ...blockFiles({ id: good, name: 'good', version: '1' }),
      ...blockFiles({ id: randomUUID(), name: 'bad', version: '1', script: 'return 1 +' }),
      { path: 'workflows/odd.yaml', content: 'id: x\nname: Odd\nsurprise: 1\n' },
      { path: '../escape.yaml', content: 'id: x' },
    ]
    const { status, body } = await service.manager.post('/api/CatalogImport?partial=true', { files })
    expect(status).toBe(200)
    expect(body.imported.map((item: { id: string }) => item.id)).toEqual([good])
    expect(body.problems).toContainEqual({
      file: 'blocks/bad.js',
      line: expect.any(Number),
      message: expect.any(String),
    })
    expect(body.problems).toContainEqual({
      file: 'workflows/odd.yaml',
      line: 3,
      column: expect.any(Number),
      message: expect.stringContaining('surprise'),
    })
    expect(body.problems.map((problem: { file: string }) => problem.file)).toContain('../escape.yaml')
  })

  it.each([
    ['nothing', {}],
    ['both', { files: [{ path: 'a', content: '' }], openApi: { document: {} } }],
    ['no files', { files: [] }],
    ['a file without content', { files: [{ path: 'functions/a.js' }] }],
    ['only broken files', { files: [{ path: 'blocks/a.yaml', content: ': :' }] }],
    ['only a reader’s note', { files: [{ path: 'README.md', content: 'hello' }] }],
    ['a NUL in a version', { files: withNul }],
    ['no document', { openApi: {} }],
    ['two documents', { openApi: { document: {}, url: 'https://example.com' } }],
    ['an unknown field', { files: [{ path: 'a', content: '' }], force: true }],
  ])('with %s is 400 and changes nothing', async (_what, body) => {
    const before = await service.asOwner('select count(*)::int as n from catalog_items')
    const answer = await service.manager.post('/api/CatalogImport', body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toMatch(/\w/)
    expect(await service.asOwner('select count(*)::int as n from catalog_items')).toEqual(before)
  })

  it('cannot take the id or short name of a shipped item, nor a short name twice', async () => {
    const [shipped] = (await service.manager.get('/api/BlockTemplates')).body
    expect((await importFiles(blockFiles({ id: shipped.id, name: newName(), version: '9' }))).status).toBe(400)
    expect((await importFiles([applicationFile(randomUUID(), 'test')])).status).toBe(400)
    const shortName = newName()
    await importFiles([applicationFile(randomUUID(), shortName)])
    const again = await importFiles([applicationFile(randomUUID(), shortName.toUpperCase())])
    expect(again.status).toBe(400)
    expect(again.body.errorMessage).toContain('already used')
  })

  it('of the same id in another organization is an item of its own', async () => {
    const id = randomUUID()
    await importFiles(blockFiles({ id, name: 'shared', version: '1', script: 'return "ours"' }))
    await importFiles(blockFiles({ id, name: 'shared', version: '1', script: 'return "theirs"' }), other)
    expect((await block(id)).body.script).toContain('ours')
    expect((await block(id, '', other)).body.script).toContain('theirs')
  })

  it('writes one audit row', async () => {
    const id = randomUUID()
    await importFiles(blockFiles({ id, name: newName(), version: '1' }))
    const rows = await service.asOwner(
      "select details from audit_log where action = 'catalog.imported' order by id desc limit 1",
    )
    expect(rows[0]?.['details']).toEqual({ items: [{ entityType: 'blockTemplate', id, version: '1' }] })
  })

  it('stands ten at the same time without losing one', async () => {
    const ids = Array.from({ length: 10 }, () => randomUUID())
    const answers = await Promise.all(ids.map((id) => importFiles(blockFiles({ id, name: newName(), version: '1' }))))
    expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 200))
    const listed = (await service.manager.get('/api/BlockTemplates?filterByHostedTemplates=true')).body
    expect(listed.map((item: { id: string }) => item.id)).toEqual(expect.arrayContaining(ids))
  })
})

describe('versions and drafts', () => {
  it('a published version never changes, neither by import nor in the database', async () => {
    const id = randomUUID()
    const name = newName()
    const first = blockFiles({ id, name, version: '1', script: 'return 1' })
    await importFiles(first)
    expect((await importFiles(first)).body.imported[0].change).toBe('unchanged')
    const changed = await importFiles(blockFiles({ id, name, version: '1', script: 'return 2' }))
    expect(changed.status).toBe(400)
    expect(changed.body.errorMessage).toContain('already published')
    await importFiles(blockFiles({ id, name, version: '2', script: 'return 2' }))
    expect((await importFiles(first)).body.imported[0].change).toBe('unchanged')
    expect((await block(id)).body).toMatchObject({ version: '2', state: 'Published', script: 'return 2\n' })
    expect((await block(id, '?version=1')).body).toMatchObject({ version: '1', script: 'return 1\n' })
    expect((await block(id, '?version=3')).status).toBe(404)
    // The roles of the service are stopped by the database itself.
    await service.asOwner(`do $$ begin
      set local role patchbay_system;
      update catalog_items set version = 'x' where id = '${id}';
      delete from catalog_items where id = '${id}';
    end $$`)
    expect((await service.manager.get(`/api/BlockTemplateVersions/${id}`)).body).toEqual([
      { version: '2', createDateTimeUTC: expect.stringMatching(/Z$/) },
      { version: '1', createDateTimeUTC: expect.stringMatching(/Z$/) },
    ])
  })

  it('a draft is read only with isDraft, by its owners, and stands beside the published version', async () => {
    const id = randomUUID()
    const name = newName()
    await importFiles(blockFiles({ id, name, version: null, script: 'return "draft"' }))
    expect((await block(id)).status).toBe(404)
    expect((await block(id, '?isDraft=true')).body).toMatchObject({ version: null, state: 'Draft' })
    const user = await createAccount(service, service.manager, 'User')
    expect((await block(id, '?isDraft=true', user.client)).status).toBe(200)
    const foreign = await block(id, '?isDraft=true', other)
    const unknown = await block(randomUUID(), '?isDraft=true', other)
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])

    await importFiles(blockFiles({ id, name, version: '1', script: 'return "published"' }))
    const listed = (await service.manager.get('/api/BlockTemplates?filterByHostedTemplates=true')).body
    const states = listed.filter((item: { id: string }) => item.id === id).map((item: { state: string }) => item.state)
    expect(states).toEqual(['Published', 'Draft'])
    expect((await other.get('/api/BlockTemplates')).text).not.toContain(id)
    expect((await block(id)).body.configuration).toEqual({ isHosted: true })
  })

  it('a second draft replaces the first', async () => {
    const id = randomUUID()
    await importFiles(blockFiles({ id, name: 'd', version: null, script: 'return 1' }))
    await importFiles(blockFiles({ id, name: 'd', version: null, script: 'return 2' }))
    expect((await block(id, '?isDraft=true')).body.script).toBe('return 2\n')
  })

  it('publishing turns the draft into the next version and leaves no draft', async () => {
    const id = randomUUID()
    const publish = (query = '') => service.manager.get(`/api/PublishBlockTemplate/${id}${query}`)
    const draft = (script: string) => importFiles(blockFiles({ id, name: 'p', version: null, script }))
    await draft('return 1')
    expect((await publish()).body).toBe('1')
    expect((await block(id)).body).toMatchObject({ version: '1', state: 'Published', script: 'return 1\n' })
    expect((await block(id, '?isDraft=true')).status).toBe(404)
    await draft('return 2')
    expect((await publish('?version=2.9')).body).toBe('2.9')
    await draft('return 3')
    expect((await publish('?version=1')).status).toBe(400)
    expect((await publish()).body).toBe('2.10')
    const none = await publish()
    expect(none.status).toBe(400)
    expect(none.body.errorMessage).toContain('no draft')
    expect((await block(id, '?version=2.9')).body.script).toBe('return 2\n')
    const versions = (await service.manager.get(`/api/BlockTemplateVersions/${id}`)).body
    expect(versions.map((entry: { version: string }) => entry.version)).toEqual(['2.10', '2.9', '1'])
  })

  it('what is shipped, foreign or unknown cannot be published: one same 404', async () => {
    const [shipped] = (await service.manager.get('/api/BlockTemplates')).body
    const foreign = randomUUID()
    await importFiles(blockFiles({ id: foreign, name: 'f', version: null }), other)
    const answers = await Promise.all(
      [shipped.id, foreign, randomUUID()].map((id) => service.manager.get(`/api/PublishBlockTemplate/${id}`)),
    )
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404])
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect((await block(foreign, '?isDraft=true', other)).status).toBe(200)
  })

  it('a workflow template is published only when its blocks are', async () => {
    const [blockId, id] = [randomUUID(), randomUUID()]
    const publish = () => service.manager.get(`/api/PublishWorkflowTemplate/${id}`)
    await importFiles([
      ...blockFiles({ id: blockId, name: 'step', version: null, script: 'return "step"' }),
      workflowFile({ id, name: 'chain', version: null }, blockId),
    ])
    const details = (await workflow(id, '?isDraft=true')).body
    expect(details.chain[0].script).toBe('return "step"\n')
    const early = await publish()
    expect(early.status).toBe(400)
    expect(early.body.errorMessage).toContain('"First"')
    expect((await importFiles([workflowFile({ id, name: 'chain', version: '5' }, blockId)])).status).toBe(400)
    await service.manager.get(`/api/PublishBlockTemplate/${blockId}`)
    expect((await publish()).body).toBe('1')
    expect((await workflow(id)).body).toMatchObject({ version: '1', configuration: { isHosted: true } })
    const listed = (await service.manager.get('/api/WorkflowTemplates?filterByHostedTemplates=true')).body
    expect(listed.map((item: { id: string }) => item.id)).toEqual([id])
    expect((await workflow(id, '', other)).status).toBe(404)
  })

  it('a draft can be thrown away once', async () => {
    const [blockId, id] = [randomUUID(), randomUUID()]
    await importFiles([
      ...blockFiles({ id: blockId, name: 'gone', version: '1' }),
      ...blockFiles({ id: blockId, name: 'gone', version: '1' }).slice(2),
      workflowFile({ id, name: 'gone', version: null }, blockId),
    ])
    await importFiles(blockFiles({ id: blockId, name: 'gone', version: null }))
    for (const [type, which] of [
      ['BlockTemplate', blockId],
      ['WorkflowTemplate', id],
    ]) {
      const discard = (client = service.manager) => client.get(`/api/Delete${type}Draft/${which}`)
      expect((await discard(other)).status).toBe(404)
      expect((await service.manager.send('HEAD', `/api/Delete${type}Draft/${which}`)).status).toBe(405)
      expect((await discard()).body).toBe(true)
      expect((await discard()).status).toBe(404)
    }
    expect((await block(blockId)).body.version).toBe('1')
    expect((await workflow(id)).status).toBe(404)
  })
})

describe('an export', () => {
  it('gives files that make the same items elsewhere', async () => {
    const from = (await createOrganization(service)).manager
    const [blockId, id, applicationId] = [randomUUID(), randomUUID(), randomUUID()]
    await importFiles(
      [
        applicationFile(applicationId, 'exported'),
        ...blockFiles({ id: blockId, name: 'carried', version: '3', script: 'return "æøå"' }),
        workflowFile({ id, name: 'carried', version: '1' }, blockId),
      ],
      from,
    )
    await importFiles(blockFiles({ id: blockId, name: 'carried', version: null, script: 'return "draft"' }), from)
    const { files } = (await from.get('/api/CatalogExport')).body
    const to = (await createOrganization(service)).manager
    const { body } = await importFiles(files, to)
    expect(body.problems).toEqual([])
    expect((await block(blockId, '', to)).body).toEqual((await block(blockId, '', from)).body)
    expect((await workflow(id, '', to)).body).toEqual((await workflow(id, '', from)).body)
    expect((await importFiles(files, from)).body.imported.map((item: { change: string }) => item.change)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ])
    const drafts = (await from.get('/api/CatalogExport?isDraft=true')).body.files
    expect(JSON.stringify(drafts)).toContain('draft')
    expect((await other.get('/api/CatalogExport')).text).not.toContain(blockId)
  })

  it('of drafts brings along the published blocks that they stand on', async () => {
    const from = (await createOrganization(service)).manager
    const [published, drafted, unused, id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await importFiles(
      [
        ...blockFiles({ id: published, name: 'below', version: '2' }),
        ...blockFiles({ id: unused, name: 'beside', version: '1' }),
        ...blockFiles({ id: drafted, name: 'drafted', version: null }),
        workflowFile({ id, name: 'drafted', version: null }, published),
      ],
      from,
    )
    const { files } = (await from.get('/api/CatalogExport?isDraft=true')).body
    expect(JSON.stringify(files)).not.toContain(unused)
    const to = (await createOrganization(service)).manager
    const { body } = await importFiles(files, to)
    expect(body.problems).toEqual([])
    expect(body.imported.map((item: { id: string }) => item.id).sort()).toEqual([published, drafted, id].sort())
    expect((await workflow(id, '?isDraft=true', to)).body).toEqual((await workflow(id, '?isDraft=true', from)).body)
  })
})

describe('an import of many files', () => {
  it('does not make the others wait', async () => {
    const files = Array.from({ length: 600 }, (_, index) =>
      blockFiles({ id: randomUUID(), name: `many${index}`, version: '1', script: 'return 1\n'.repeat(200) }),
    ).flat()
    let done = false
    const importing = importFiles(files).finally(() => {
      done = true
    })
    let answers = 0
    for (; !done; answers++) await service.client(undefined).get('/livez')
    expect((await importing).body.imported).toHaveLength(600)
    // Read on the thread of the requests, these files would let hardly any answer through.
    expect(answers).toBeGreaterThan(10)
  })
})
