// What takes long and needs no database is begun before the database is there: one after the other they would double the time of a start.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalog } from './catalog/index.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { SandboxPool } from './sandbox/index.ts'

export type BesideDatabase = {
  sandbox: Promise<SandboxPool>
  shippedCatalog: ReturnType<typeof loadCatalog>
}

export function startBesideDatabase(context: Context): BesideDatabase {
  const sandbox = startSandbox(context)
  const shippedCatalog = loadCatalog(fileURLToPath(new URL('../../catalog', import.meta.url)))
  // Whoever waits for one is told when it failed; until then a failure is nobody's.
  const begun = sandbox.catch(() => undefined)
  shippedCatalog.catch(() => {})
  // A start that fails before anybody asked for the sandbox still ends it. A stop in order ends it sooner, before the database.
  context.parts.defer(async () => (await begun)?.[Symbol.asyncDispose]())
  return { sandbox, shippedCatalog }
}

async function startSandbox({ config, metrics, faultsOf }: Context): Promise<SandboxPool> {
  const onFault = faultsOf('sandbox')
  // With a database and a key from elsewhere nobody has needed it before.
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  return SandboxPool.create({
    hiddenPaths: hiddenFromScripts(config),
    isStrict: config.sandbox === 'strict',
    sharedBy: config.processes,
    measuredFile: join(config.dataDir, 'measured-isolates.json'),
    onCrash: ({ signal, code, stderr }) => {
      metrics.work.onScriptProcessCrashed()
      const words = stderr === '' ? 'It said nothing.' : `Its last words: ${stderr}`
      onFault(new Error(`A script process ended unexpectedly (${signal ?? `code ${code}`}). ${words}`))
    },
  })
}

/** The key may lie anywhere, also in a directory that script processes need to see. */
function hiddenFromScripts({ dataDir, masterKey }: Config): string[] {
  return masterKey.kind === 'file' ? [dataDir, masterKey.path] : [dataDir]
}
