import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expandAddress, expandHostPattern, matchesHost } from '../../src/catalog/format/address-template.ts'
import { exportCatalogFiles } from '../../src/catalog/format/export-files.ts'
import { loadCatalog, parseImportedCatalog } from '../../src/catalog/format/load.ts'
import { shippedCatalog } from './bare-context.ts'

const { applications, blockTemplates, workflowTemplates, functions, problems } = shippedCatalog
const withoutFile = (items: readonly { file: string }[]) => items.map(({ file: _, ...item }) => item)

describe('the shipped catalogue', () => {
  it('has no problem', () => expect(problems).toEqual([]))

  it('holds one application for each folder, named by its short name', () => {
    const folders = readdirSync(new URL('../../../catalog/applications', import.meta.url))
    expect(applications.map((item) => item.shortName.toLowerCase()).sort()).toEqual(folders.sort())
  })

  it('holds the applications that clients rely on', () => {
    const names = new Set(applications.map((item) => item.shortName))
    for (const name of ['TEST', 'HTTP', 'OAUTH2', 'SHPT', 'SMTP']) expect(names).toContain(name)
  })

  it('gives the generic applications exactly the fields that clients rely on', () => {
    const fields = (shortName: string) => {
      const list = applications.find((item) => item.shortName === shortName)?.credentialFields ?? []
      return [
        list.map((field) => field.ShortName).join(),
        list
          .filter((field) => field.Required)
          .map((field) => field.ShortName)
          .join(),
      ]
    }
    expect(fields('TEST')).toEqual(['', ''])
    expect(fields('HTTP')).toEqual(['baseUrl,authType,username,password,token,headerName,headerValue', 'baseUrl'])
    expect(fields('OAUTH2')[0]).toBe('baseUrl,authorizationUrl,tokenUrl,clientId,clientSecret,scopes')
    const required = 'tenantId,clientId,clientSecret,host,sitePath'
    expect(fields('SHPT')).toEqual([`${required},authUrl,graphUrl`, required])
  })

  it.each(applications.map((item) => [item.shortName, item] as const))(
    '%s has a small logo and hosts that cover its address',
    (_, item) => {
      expect(item.logoImage?.mediaType).toBe('image/svg+xml')
      expect(item.logoImage?.base64.length).toBeLessThan(4096)
      if (item.baseUrl === undefined) return
      const values: Record<string, string> = {}
      for (const field of item.credentialFields) {
        values[field.ShortName] = String(
          field.Default ?? field.Options?.[0] ?? (field.Type === 'url' ? 'https://api.example.com:8443/v1' : 'acme'),
        )
      }
      const { host } = new URL(expandAddress(item.baseUrl, values))
      const patterns = (item.allowedHosts ?? []).filter((entry) => typeof entry === 'string')
      expect(patterns.some((pattern) => matchesHost(expandHostPattern(pattern, values), host))).toBe(true)
    },
  )

  it('has the generic blocks and the workflow templates that are promised', () => {
    const generic = blockTemplates.filter((item) => item.application === undefined || item.application === 'HTTP')
    expect(generic.map((item) => item.name).sort()).toEqual([
      'Code',
      'Filter',
      'HTTP call',
      'Join',
      'Mapper',
      'Stop when empty',
    ])
    expect(workflowTemplates.length).toBeGreaterThanOrEqual(6)
    for (const item of [...workflowTemplates, ...blockTemplates]) expect(item.state).toBe('Published')
  })

  it('has at least one block for every application that calls something', () => {
    for (const { shortName } of applications) {
      if (shortName === 'OAUTH2') continue
      expect(
        blockTemplates.some((item) => item.application === shortName),
        shortName,
      ).toBe(true)
    }
  })

  it('comes back the same after export and import', () => {
    const files = exportCatalogFiles(shippedCatalog)
    const again = parseImportedCatalog(files)
    expect(again.problems).toEqual([])
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    for (const key of ['applications', 'blockTemplates', 'workflowTemplates', 'functions'] as const) {
      expect(withoutFile(again[key].toSorted(byId))).toEqual(withoutFile(shippedCatalog[key].toSorted(byId)))
    }
    expect(functions.length).toBe(again.functions.length)
  })

  it.each([
    ['of spaces and line breaks only', ' \n'],
    ['that must be quoted, with a line of spaces', `${'word '.repeat(10)}\r\n \n end`],
    ['that is long, with spaces at the ends of lines', `\t${'lorem ipsum '.repeat(12)}  \n${'word '.repeat(30)} \n`],
  ])('comes back with a description %s', (_, description) => {
    const [template] = blockTemplates
    if (!template) throw new Error('There are no block templates.')
    const given = { ...template, description }
    const files = exportCatalogFiles({ ...shippedCatalog, blockTemplates: [given, ...blockTemplates.slice(1)] })
    const again = parseImportedCatalog(files)
    expect(again.problems).toEqual([])
    expect(again.blockTemplates.find(({ id }) => id === template.id)?.description).toBe(description)
  })

  it('loads 200 applications with seven blocks each', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-catalog-'))
    try {
      const [shop, ...blocks] = exportCatalogFiles({
        applications: applications.filter((item) => item.shortName === 'SHPT'),
        blockTemplates: blockTemplates.filter((item) => item.application === 'SHPT'),
        workflowTemplates: [],
        functions: [],
      })
      const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
      for (let number = 0; number < 200; number += 1) {
        for (const [index, file] of [shop, ...blocks].entries()) {
          if (!file) continue
          const path = join(directory, file.path.replace('applications/shpt', `applications/a${number}`))
          mkdirSync(join(path, '..'), { recursive: true })
          const content = file.content.replace(/^id: .*/m, `id: ${guid(number * 100 + index)}`)
          writeFileSync(path, content.replace(/^(shortName|application): SHPT/m, `$1: A${number}`))
        }
      }
      const loaded = await loadCatalog(directory)
      expect(loaded.problems).toEqual([])
      expect(loaded.applications).toHaveLength(200)
      expect(loaded.blockTemplates).toHaveLength(1400)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
