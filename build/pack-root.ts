// `npm pack` in the root: dist/ with the service, the command line, the catalogue and the built console, in the layout of the sources.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compileFolder } from './compile.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'console/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
for (const folder of ['contract/src', 'sdk/src', 'mcp/src', 'cli/src', 'server/src']) compileFolder(root, folder, dist)
for (const path of ['cli/bin', 'catalog', 'docs', 'console/dist', 'sdk/script-api.d.ts']) {
  cpSync(join(root, path), join(dist, path), { recursive: true })
}
