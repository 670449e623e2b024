// The catalogue and the function library as the rest of the service uses them.
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Catalog, loadCatalog } from '../../src/catalog/index.ts'
import { Database } from '../../src/db/index.ts'
import { createFunctionLibrary } from '../../src/functions/index.ts'
import { createOrganization } from '../harness/accounts.ts'
import { startService, type TestService } from '../harness/service.ts'
import { holdsWithinASecond } from '../harness/within-a-second.ts'
import { applicationFile, blockFiles, type File, workflowFile } from './catalog-files.ts'

const shippedDirectory = fileURLToPath(new URL('../../../catalog', import.meta.url))

let service: TestService
let database: Database
let organizationId: string
beforeAll(async () => {
  service = await startService()
  database = new Database({ connectionString: service.databaseUrl }, () => {})
  organizationId = service.firstAccount.organizationId
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const importFiles = (files: File[]) => service.manager.post('/api/CatalogImport', { files })

describe('loading the catalogue', () => {
  it('finds nothing to complain about in what is shipped', async () => {
    const problems: unknown[] = []
    await Catalog.load({
      database,
      shipped: loadCatalog(shippedDirectory),
      onProblem: (problem) => problems.push(problem),
    })
    expect(problems).toEqual([])
    expect(service.logText()).not.toContain('left out')
  })

  it('tells broken files with file and line, and serves the rest', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-catalog-'))
    const good = randomUUID()
    const files = [
      ...blockFiles({ id: good, name: 'good', version: '1' }),
      ...blockFiles({ id: randomUUID(), name: 'bad', version: '1', script: 'let let' }),
      ...blockFiles({ id: randomUUID(), name: 'unfinished', version: null }),
      { path: 'workflows/broken.yaml', content: 'id: 1\n  name: : x' },
    ]
    for (const { path, content } of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), content)
    }
    const problems: { file: string; line: number }[] = []
    const catalog = await Catalog.load({
      database,
      shipped: loadCatalog(directory),
      onProblem: (problem) => problems.push(problem),
    })
    rmSync(directory, { recursive: true })
    expect(problems.map(({ file }) => file)).toEqual(expect.arrayContaining(['blocks/bad.js', 'workflows/broken.yaml']))
    expect(problems.every(({ line }) => line >= 1)).toBe(true)
    const { published, drafts } = await catalog.listBlockTemplates(organizationId, false)
    expect(published.map(({ id }) => id)).toContain(good)
    expect(published.map(({ name }) => name)).not.toContain('unfinished')
    expect(drafts).toEqual([])
  })

  it('fails when there is no such directory', async () => {
    const loading = Catalog.load({ database, shipped: loadCatalog('/nowhere/at/all'), onProblem: () => {} })
    await expect(loading).rejects.toThrow('ENOENT')
  })
})

describe('finding items', () => {
  let catalog: Catalog
  beforeAll(async () => {
    catalog = await Catalog.load({ database, shipped: loadCatalog(shippedDirectory), onProblem: () => {} })
  })

  it('finds applications by id and by short name, without regard to case', async () => {
    const byName = await catalog.findApplication(organizationId, 'tEsT')
    expect(byName?.shortName).toBe('TEST')
    expect(await catalog.findApplication(organizationId, byName?.id.toUpperCase() ?? '')).toBe(byName)
    expect(await catalog.findApplication(organizationId, 'nothing')).toBe(undefined)
  })

  it("finds the organization's own as soon as they are imported, and nobody else's", async () => {
    const other = await createOrganization(service)
    const [id, blockId, workflowId] = [randomUUID(), randomUUID(), randomUUID()]
    expect(await catalog.findApplication(organizationId, 'seam')).toBe(undefined)
    await importFiles([
      applicationFile(id, 'seam'),
      ...blockFiles({ id: blockId, name: 'seam', version: '1', script: 'return 1' }),
      workflowFile({ id: workflowId, name: 'seam', version: null }, blockId),
    ])
    await importFiles(blockFiles({ id: blockId, name: 'seam', version: '2', script: 'return 2' }))
    expect((await catalog.findApplication(organizationId, 'SEAM'))?.id).toBe(id)
    expect((await catalog.listApplications(organizationId)).map((application) => application.id)).toContain(id)
    expect((await catalog.findBlockTemplate(organizationId, blockId))?.version).toBe('2')
    expect((await catalog.findBlockTemplate(organizationId, blockId, { version: '1' }))?.script).toBe('return 1\n')
    expect(await catalog.findBlockTemplate(organizationId, blockId, { draft: true })).toBe(undefined)
    expect(await catalog.findWorkflowTemplate(organizationId, workflowId)).toBe(undefined)
    expect((await catalog.findWorkflowTemplate(organizationId, workflowId, { draft: true }))?.state).toBe('Draft')
    for (const found of [
      catalog.findApplication(other.organizationId, 'seam'),
      catalog.findApplication(other.organizationId, id),
      catalog.findBlockTemplate(other.organizationId, blockId),
      catalog.findBlockTemplate(other.organizationId, blockId, { version: '1' }),
      catalog.findWorkflowTemplate(other.organizationId, workflowId, { draft: true }),
    ]) {
      expect(await found).toBe(undefined)
    }
  })

  it('gives the same list until something changes', async () => {
    const first = await catalog.listFunctions(organizationId)
    expect(await catalog.listFunctions(organizationId)).toBe(first)
    await importFiles([applicationFile(randomUUID(), `again${Date.now()}`)])
    expect(await catalog.listFunctions(organizationId)).not.toBe(first)
  })

  it('shows scripts a new function within a second', async () => {
    const library = createFunctionLibrary(catalog, async () => null)
    const names = async () => (await library.list(organizationId)).map(({ name }) => name)
    expect(await names()).toContain('slug')
    const content = `/*---\nid: ${randomUUID()}\nname: seamFunction\ndescription: d\ncategory: c\npackage: p\nisAsync: false\narguments: {}\nexamples: []\n---*/\nreturn 1\n`
    expect((await importFiles([{ path: 'functions/seam.js', content }])).status).toBe(200)
    await holdsWithinASecond(async () => (await names()).includes('seamFunction'))
  })
})
