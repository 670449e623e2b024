// `npm pack --workspace sdk`: the client and the contract as JavaScript with declarations. In the repository the sdk is used as source, so
// package.json points there; while it is packed it points to dist, and `--restore` puts the other one back.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFolder, fitPaths } from './compile.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'sdk/dist')
const manifest = join(root, 'sdk/package.json')
const kept = join(root, 'sdk/package.source.json')

function restore(): void {
  if (existsSync(kept)) renameSync(kept, manifest)
}

function build(): void {
  rmSync(dist, { recursive: true, force: true })
  for (const folder of ['contract/src', 'sdk/src']) compileFolder(root, folder, dist)
  const compiler = join(root, 'node_modules/.bin/tsc')
  execFileSync(compiler, ['--project', join(root, 'sdk/tsconfig.pack.json')], { stdio: 'inherit' })
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, name)
    if (name.endsWith('.d.ts')) writeFileSync(path, fitPaths(readFileSync(path, 'utf8'), path, dist))
  }
}

function pointToDist(): void {
  const text = readFileSync(manifest, 'utf8')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'contract/package.json'), 'utf8'))
  const { scripts: _, private: __, ...source } = JSON.parse(text)
  writeFileSync(kept, text)
  const packed = {
    ...source,
    exports: {
      '.': { types: './dist/sdk/src/index.d.ts', default: './dist/sdk/src/index.js' },
      './script-api': './script-api.d.ts',
    },
    dependencies,
  }
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`)
}

restore()
if (!process.argv.includes('--restore')) {
  build()
  pointToDist()
}
