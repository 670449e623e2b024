// What scripts run in, and what they may reach.
import type { BesideDatabase } from './beside-database.ts'
import { createConnections } from './connections/index.ts'
import type { Context } from './context.ts'
import { explainDenial } from './document-library/index.ts'
import { createFunctionLibrary } from './functions/index.ts'
import type { Infrastructure } from './infrastructure.ts'
import { createOwnServerSender } from './mail/index.ts'
import { createApplicationCalls } from './proxy/index.ts'
import { createVault } from './vault/index.ts'
import { createRunPorts } from './webhooks/index.ts'
import { findDefinition, findFunctionStamp } from './workflows/index.ts'

export type Scripting = Awaited<ReturnType<typeof createScripting>>

export async function createScripting(context: Context, infrastructure: Infrastructure, beside: BesideDatabase) {
  const { faultsOf, place, parts, say } = context
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
  const sandbox = parts.use(await beside.sandbox)
  for (const sentence of sandbox.missing) say(sentence)
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
