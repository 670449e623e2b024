// Builds the console into console/dist, unless what is there was made from the same sources. `npm ci` runs it, and the service at its start.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'console/dist')
const building = join(root, `console/.dist-${process.pid}`)
const lock = join(root, 'console/.dist-lock')
/** A lock older than this was left behind by a process that was killed. */
const lockMsMax = 60_000
const stamp = sourceHash()
// Whoever starts this, a test for example, the console is built for people.
process.env['NODE_ENV'] = 'production'

if (!isFresh() && !(await isBuiltByAnother())) {
  const startedAt = performance.now()
  try {
    const { build } = await import('vite')
    await build({
      configFile: join(root, 'console/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: building, emptyOutDir: true },
    })
    compress()
    writeFileSync(join(building, 'stamp'), stamp)
    rmSync(dist, { recursive: true, force: true })
    renameSync(building, dist)
  } finally {
    rmSync(building, { recursive: true, force: true })
    rmSync(lock, { force: true })
  }
  console.log(`The console was built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`)
}

function isFresh(): boolean {
  return existsSync(join(dist, 'stamp')) && readFileSync(join(dist, 'stamp'), 'utf8') === stamp
}

/** Several processes may start at once; one of them builds, the others wait for it. */
async function isBuiltByAnother(): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < lockMsMax; waitedMs += 200) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return isFresh()
    } catch {
      await setTimeout(200)
      if (isFresh()) return true
    }
  }
  rmSync(lock, { force: true })
  return false
}

/** Over everything that the build reads. */
function sourceHash(): string {
  const hash = createHash('sha256')
  for (const folder of ['console', 'sdk', 'contract/src', 'docs']) {
    for (const file of listFiles(folder)) hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules' && !name.startsWith('.'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : [join(folder, entry.name)]))
}

/** Done once here, so that the service only picks the form that a browser takes. */
function compress(): void {
  for (const file of readdirSync(building, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg|json)$/.test(file)) continue
    const bytes = readFileSync(join(building, file))
    writeFileSync(join(building, `${file}.gz`), gzipSync(bytes, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(building, `${file}.br`), brotliCompressSync(bytes, { params }))
  }
}
