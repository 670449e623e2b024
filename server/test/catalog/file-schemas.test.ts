// JSON Schemas of the catalogue's files, so that an editor completes and checks them while they are written.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ApplicationFile, BlockTemplateFile, WorkflowTemplateFile } from '../../src/catalog/format/definition.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const schemas = {
  application: { title: 'An application of the catalogue', schema: ApplicationFile },
  block: { title: 'A block template', schema: BlockTemplateFile },
  workflow: { title: 'A workflow template', schema: WorkflowTemplateFile },
}
const fileOf = (kind: string) => join('docs/catalog', `${kind}.schema.json`)
const kindOf = (path: string) =>
  path.endsWith('application.yaml') ? 'application' : path.startsWith('workflows') ? 'workflow' : 'block'

describe('the schema of', () => {
  it.each(Object.entries(schemas))(
    '%s files is current (UPDATE_SCHEMA=1 writes it anew)',
    (kind, { title, schema }) => {
      const file = join(root, fileOf(kind))
      const actual = { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...structuredClone(schema) }
      if (process.env['UPDATE_SCHEMA']) writeFileSync(file, `${JSON.stringify(actual, null, 2)}\n`)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(actual)))
    },
  )

  it('each file of the catalogue is named in its first line', () => {
    const paths = readdirSync(join(root, 'catalog'), { recursive: true, encoding: 'utf8' })
    const wrong = paths
      .filter((path) => path.endsWith('.yaml'))
      .filter((path) => {
        const place = relative(dirname(join(root, 'catalog', path)), join(root, fileOf(kindOf(path))))
        const wanted = `# yaml-language-server: $schema=${place}\n`
        return !readFileSync(join(root, 'catalog', path), 'utf8').startsWith(wanted)
      })
    expect(wrong).toEqual([])
  })
})
