// What scripts run in, and what they may reach.

import { join } from 'node:path'
import type { Config } from './config.ts'
import { createConnections } from './connections/index.ts'
import type { Context } from './context.ts'
import { explainDenial } from './document-library/index.ts'
import { createFunctionLibrary } from './functions/index.ts'
import type { Infrastructure } from './infrastructure.ts'
import { createOwnServerSender } from './mail/index.ts'
import { createApplicationCalls } from './proxy/index.ts'
import { SandboxPool } from './sandbox/index.ts'
import { createVault } from './vault/index.ts'
import { createRunPorts } from './webhooks/index.ts'
import { findDefinition, findFunctionStamp } from './workflows/index.ts'

export type Scripting = Awaited<ReturnType<typeof createScripting>>

export async function createScripting(context: Context, infrastructure: Infrastructure) {
  const { faultsOf, place, parts } = context
  const { database, keyRing, catalog, outbox, outbound, guard, ledger, publish } = infrastructure
  const baseUrl = () => place.baseUrl
  const connecting = createConnections({
    database,
    keyRing,
    catalog,
    outbox,
    outbound,
    smtp: createOwnServerSender({ database, guard }),
    explainDenial,
    publish,
    baseUrl,
    onFault: faultsOf('connections'),
  })
  parts.use(connecting.renewal)
  const { connections } = connecting
  const sandbox = await startSandbox(context)
  return {
    connecting,
    connections,
    sandbox,
    calls: createApplicationCalls({ connections }),
    vault: createVault({ database, keyRing, ledger }),
    functions: createFunctionLibrary(catalog, (workflowId) => findFunctionStamp({ database }, workflowId)),
    webhookPorts: createRunPorts({ database, keyRing, publish, baseUrl }),
    findDefinition: (accountId: string, workflowId: string, revision?: number) =>
      findDefinition({ database, keyRing }, accountId, workflowId, revision),
  }
}

async function startSandbox({ config, say, parts, metrics, faultsOf }: Context): Promise<SandboxPool> {
  const onFault = faultsOf('sandbox')
  const sandbox = parts.use(
    await SandboxPool.create({
      hiddenPaths: hiddenFromScripts(config),
      isStrict: config.sandbox === 'strict',
      sharedBy: config.processes,
      measuredFile: join(config.dataDir, 'measured-isolates.json'),
      onCrash: ({ signal, code, stderr }) => {
        metrics.work.onScriptProcessCrashed()
        const words = stderr === '' ? 'It said nothing.' : `Its last words: ${stderr}`
        onFault(new Error(`A script process ended unexpectedly (${signal ?? `code ${code}`}). ${words}`))
      },
    }),
  )
  for (const sentence of sandbox.missing) say(sentence)
  return sandbox
}

/** The key may lie anywhere, also in a directory that script processes need to see. */
function hiddenFromScripts({ dataDir, masterKey }: Config): string[] {
  return masterKey.kind === 'file' ? [dataDir, masterKey.path] : [dataDir]
}
