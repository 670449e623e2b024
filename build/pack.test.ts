// What npm pack ships: the same sources as JavaScript, and every package that they need.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fitPaths } from './compile.ts'

const root = join(import.meta.dirname, '..')
const dependenciesOf = (folder: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).dependencies

it('the root package needs what its parts need, in the same versions', () => {
  const needed = ['contract', 'sdk', 'mcp', 'cli', 'server']
    .flatMap((folder) => Object.entries(dependenciesOf(folder)))
    .filter(([name]) => !name.startsWith('@patchbay/'))
  const { node, ...shipped } = dependenciesOf('.')
  expect(node).toBeDefined()
  expect(shipped).toEqual(Object.fromEntries(needed))
})

it('paths to sources become paths to compiled files, and our own packages relative ones', () => {
  const code = `import { a } from './a.ts'\nnew URL('../b.ts', import.meta.url)\nimport '@patchbay/contract'\nimport 'typebox'`
  expect(fitPaths(code, '/dist/server/src/x.js', '/dist')).toBe(
    `import { a } from './a.js'\nnew URL('../b.js', import.meta.url)\nimport '../../contract/src/index.js'\nimport 'typebox'`,
  )
})
