// What the service is made of, whichever role a process has.
import type { BesideDatabase } from './beside-database.ts'
import type { Context } from './context.ts'
import type { ConnectionSettings } from './db/index.ts'
import { createInfrastructure, type Infrastructure } from './infrastructure.ts'
import { findBrokenRun } from './replay/index.ts'
import { createRunServices } from './run-services.ts'
import { scriptLibrary } from './runs/index.ts'
import { createScripting, type Scripting } from './scripting.ts'
import { checkMerged, type UpgradeDeps } from './upgrades/index.ts'
import { createWebhooks } from './webhooks/index.ts'

type Means = Infrastructure & Scripting
type Runs = Awaited<ReturnType<typeof createRunServices>>

export type Services = Awaited<ReturnType<typeof createServices>>

/** Rules and means that both roles use; nothing here acts by itself. */
export async function createServices(context: Context, connection: ConnectionSettings, beside: BesideDatabase) {
  const infrastructure = await createInfrastructure(context, connection, beside)
  const means: Means = { ...infrastructure, ...(await createScripting(context, infrastructure, beside)) }
  const runs = await createRunServices(context, means)
  const replaying = createReplaying(context, means)
  const webhooks = createWebhookServices(context, means, runs)
  const upgrading = createUpgrading(context, means, (change) => findBrokenRun(replaying, change))
  return { ...means, runs, replaying, webhooks, upgrading }
}

function createReplaying({ config, faultsOf }: Context, means: Means) {
  const { database, keyRing, contents, jobs, sandbox, functions, connections, findDefinition } = means
  return {
    database,
    keyRing,
    contents,
    jobs,
    sandbox,
    functions: scriptLibrary(functions),
    connections,
    secretsOf: connections.secretsOf,
    findDefinition,
    runTimeoutSeconds: config.runTimeoutSeconds,
    onFault: faultsOf('replay'),
  }
}

function createWebhookServices({ config, faultsOf, place }: Context, means: Means, runs: Runs) {
  const { database, keyRing, contents, jobs, vault, sandbox, functions, findDefinition } = means
  const { webhookPorts, stream, publish, ledger } = means
  return createWebhooks({
    database,
    keyRing,
    contents,
    jobs,
    vault,
    sandbox,
    functions,
    findDefinition,
    checkScript: (source) => sandbox.checkScript(source),
    starter: runs.starter,
    ends: runs.ends,
    answers: runs.answers,
    readResult: runs.readResult,
    runPorts: webhookPorts,
    publish,
    baseUrl: () => place.baseUrl,
    webhookUrl: () => config.webhookUrl ?? `${place.baseUrl}/webhook`,
    daysKept: config.runRetentionDays,
    onQueueChange: (accountId, workflowId) =>
      stream.announce({ type: 'queue.changed', accountId, workflowId, data: {} }),
    ledger,
    onFault: faultsOf('webhooks'),
  })
}

function createUpgrading(
  { config, faultsOf, place }: Context,
  { database, keyRing, catalog, connections, sandbox, jobs, publish, stream }: Means,
  findBroken: UpgradeDeps['findBrokenRun'],
): UpgradeDeps {
  return {
    database,
    keyRing,
    catalog,
    connections,
    checkScript: checkMerged((source) => sandbox.checkScript(source)),
    jobs,
    publish,
    baseUrl: () => place.baseUrl,
    findBrokenRun: findBroken,
    daysKept: config.runRetentionDays,
    onChanged: (accountId, workflowId, operation) =>
      stream.announce({ type: 'workflow.changed', accountId, workflowId, data: { operation } }),
    onFault: faultsOf('upgrades'),
  }
}
