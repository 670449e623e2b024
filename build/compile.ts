// Sources to JavaScript, file by file. Types are erased in place, so lines and columns stay those of the sources.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'

/** Packages of the repository that are shipped inside, and where they lie in dist. */
const own: Record<string, string> = {
  '@patchbay/contract': 'contract/src/index.js',
  '@patchbay/contract/client-values': 'contract/src/client-values.js',
  '@patchbay/contract/operation': 'contract/src/operation.js',
  '@patchbay/mcp': 'mcp/src/index.js',
  '@patchbay/mcp/run-inputs': 'mcp/src/run-inputs.js',
  '@patchbay/mcp/version': 'mcp/src/version.js',
  '@patchbay/sdk': 'sdk/src/index.js',
  '@patchbay/sdk/script-api': 'sdk/script-api.d.ts',
}

/** Copies a folder to the same place below dist; TypeScript is compiled on the way. */
export function compileFolder(root: string, folder: string, dist: string): void {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const [source, target] = [join(root, folder, name), join(dist, folder, name)]
    if (/(?<!\.d)\.ts$/.test(name)) {
      mkdirSync(dirname(target), { recursive: true })
      const code = stripTypeScriptTypes(readFileSync(source, 'utf8'))
      writeFileSync(target.replace(/\.ts$/, '.js'), fitPaths(code, target, dist))
    } else if (/\.\w+$/.test(name)) cpSync(source, target, { recursive: true })
  }
}

/** What names a source file names the compiled one: imports, and addresses of threads and programs. */
export function fitPaths(code: string, target: string, dist: string): string {
  return code
    .replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)(?<!\.d)\.ts\1/g, '$1$2.js$1')
    .replaceAll(/(['"])(@patchbay\/[\w/-]+)\1/g, (whole, quote: string, name: string) => {
      const place = own[name]
      if (place === undefined) return whole
      const path = relative(dirname(target), join(dist, place)).split(sep).join('/')
      return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    })
}
