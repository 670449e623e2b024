// Which program `npm start` runs: the bundle, as long as it is one of the sources that are here.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleService } from '../../../build/bundle-program.ts'
import { type Bundle, findBundle, hashFiles } from '../../src/compiled-program.ts'
import { cacheFolder } from '../harness/test-cache.ts'

const files = ['package.json', 'server/src/run.ts']

let bundles: string
beforeEach(() => {
  mkdirSync(cacheFolder, { recursive: true })
  bundles = mkdtempSync(join(cacheFolder, '.bundles-'))
})
afterEach(() => rmSync(bundles, { recursive: true, force: true }))

const bundled = (folder: string) => pathToFileURL(join(bundles, folder, 'run.js')).href

function note(change: Partial<Bundle> = {}): void {
  const bundle: Bundle = { folder: 'made', files, hash: hashFiles(files), ...change }
  writeFileSync(join(bundles, 'current.json'), JSON.stringify(bundle))
}

it('is the bundle that was just made', async () => {
  await bundleService(bundles)
  const bundle = findBundle(bundles)
  expect(bundle).toMatch(/\/[0-9a-f]{16}\/run\.js$/)
  // Made again from the same sources, it is the same.
  await bundleService(bundles)
  expect(findBundle(bundles)).toBe(bundle)
})

it('is the bundle while every source is the one it was made from', () => {
  note()
  expect(findBundle(bundles)).toBe(bundled('made'))
})

it('is the sources where no bundle was made', () => {
  expect(findBundle(bundles)).toBeUndefined()
})

it('is the sources once one of them was changed', () => {
  note({ hash: hashFiles([...files, 'README.md']) })
  expect(findBundle(bundles)).toBeUndefined()
})

it('is the sources once one of them is gone', () => {
  note({ files: [...files, 'server/src/gone.ts'] })
  expect(findBundle(bundles)).toBeUndefined()
})

it('is the sources in a copy of the folder, whose bundle names files of the original', () => {
  note({ hash: hashFiles(files, '/elsewhere/') })
  expect(findBundle(bundles)).toBeUndefined()
})

it('is the sources where the note about the bundle is damaged', () => {
  writeFileSync(join(bundles, 'current.json'), '{"folder"')
  expect(findBundle(bundles)).toBeUndefined()
})
