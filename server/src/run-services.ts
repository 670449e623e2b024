// Runs, wired to what their scripts reach and to everyone who hears of them: counts, webhooks, search, alarms, events, the stream, metrics, traces.
import { countRuns } from './activity/index.ts'
import { insertChecks } from './alarms/index.ts'
import type { Context } from './context.ts'
import { together } from './db/index.ts'
import { tellRuns } from './events/index.ts'
import type { Infrastructure } from './infrastructure.ts'
import { tellingEach } from './lib/tell-each.ts'
import { createEmailSender } from './mail/index.ts'
import { createRuns, updateFailuresTold } from './runs/index.ts'
import type { SandboxPool } from './sandbox/index.ts'
import type { Scripting } from './scripting.ts'
import { insertFeed } from './search/index.ts'
import { announceEnds } from './stream/index.ts'
import { RunTraces, startExporter } from './tracing/index.ts'

type Means = Infrastructure & Scripting
type RunsDeps = Parameters<typeof createRuns>[0]

export async function createRunServices(context: Context, means: Means) {
  const { config, faultsOf } = context
  const { database, keyRing, contents, jobs, outbox, ledger, held, publish } = means
  const { connections, sandbox, calls, vault, functions, webhookPorts, findDefinition } = means
  const traces = await startTraces(context)
  const emails = createEmailSender({ database, outbox, ledger })
  const runs = createRuns({
    slots: means.slots,
    database,
    keyRing,
    contents,
    jobs,
    vault,
    sandbox: watchScripts(context, sandbox),
    traces,
    functions,
    findDefinition,
    applications: calls,
    sendEmail: (scope, message) => emails.send(scope, message),
    secretsOf: (scope, ids) => connections.secretsOf(scope, ids),
    missingApplications: async (scope, { applications }) => {
      const present = await connections.list(scope, Object.values(applications))
      const signedIn = new Set(present.filter((one) => one.isAuthenticated).map((one) => one.id))
      return Object.keys(applications).filter((shortName) => !signedIn.has(applications[shortName] as string))
    },
    webhooks: webhookPorts,
    ledger,
    heldAccounts: () => held?.ids ?? nobody,
    onRunsEnded: hearOfEnds(context, means, traces),
    publish,
    outbox,
    baseUrl: () => context.place.baseUrl,
    news: hearOfProgress(context, means, traces),
    runTimeoutSeconds: config.runTimeoutSeconds,
    retention: { daysKept: config.runRetentionDays, runsKeptMax: config.runRetentionCount },
    onFault: faultsOf('runs'),
  })
  context.parts.use(runs.ends)
  return runs
}

/**
 * What must be stored with the end of a run is stored in its transaction; the rest hears of it afterwards. Only the webhook requests are part
 * of the end itself: a run that cannot be counted, indexed or announced has ended all the same.
 */
function hearOfEnds(
  { metrics, place }: Context,
  { stream, publish, webhookPorts }: Means,
  traces: RunTraces | undefined,
): RunsDeps['onRunsEnded'] {
  const { announce } = stream
  return async (tx, ended, workflows, beside = together) => {
    tx.afterCommit(() => announceEnds(announce, ended, workflows))
    tx.afterCommit(() => ended.forEach((run) => void metrics.work.onRunEnded(run)))
    if (traces) tx.afterCommit(() => ended.forEach((run) => void traces.onEnded(run)))
    const ids = ended.map(({ id }) => id)
    let repeated: ReadonlySet<string> = new Set()
    const settled = webhookPorts.onRunsEnded(tx, ended).then((found) => {
      repeated = found
    })
    await beside(
      tx,
      [settled],
      [(part) => countRuns(part, ended), (part) => insertFeed(part, 'run', ids), (part) => insertChecks(part, ended)],
    )
    const telling = {
      publish,
      baseUrl: () => place.baseUrl,
      repeated,
      listWaiting: webhookPorts.listWaitingAfterErrors,
      setTold: updateFailuresTold,
    }
    await beside(tx, [], [(part) => tellRuns(telling, part, ended, workflows)])
  }
}

function hearOfProgress(
  { metrics, faultsOf }: Context,
  { stream: { announce } }: Means,
  traces: RunTraces | undefined,
): RunsDeps['news'] {
  const tell = tellingEach(faultsOf('runs'))
  return {
    onTaken: ({ runId, attempt }) =>
      tell(
        () => metrics.work.onRunTaken({ id: runId, attempt }),
        () => traces?.onTaken({ runId }),
      ),
    onStarted: ({ accountId, workflowId, workflowName, runNumber, runBy }) =>
      tell(() => announce({ type: 'run.started', accountId, workflowId, data: { workflowName, runNumber, runBy } })),
    onBlockEnded: (block) => {
      const { accountId, workflowId, runNumber, blockId: uniqueBlockId, blockName, status, errorMessage } = block
      const data = { runNumber, uniqueBlockId, blockName, status, errorMessage }
      tell(
        () => metrics.work.onBlockEnded({ status, activeMs: activeMsOf(block) }),
        () => traces?.onBlockEnded(block),
        () => announce({ type: 'run.block', accountId, workflowId, data }),
      )
    },
  }
}

const nobody: ReadonlySet<string> = new Set()

/** Undefined where no traces are wanted: then nothing of the library is loaded. */
async function startTraces({ config, parts }: Context): Promise<RunTraces | undefined> {
  if (!config.traces) return undefined
  const exporter = parts.use(await startExporter({ endpoint: config.traces.endpoint, role: config.role }))
  return new RunTraces((span) => exporter.emit(span), config.traces.targets)
}

function watchScripts({ metrics, faultsOf }: Context, sandbox: SandboxPool): Pick<SandboxPool, 'run'> {
  const tell = tellingEach(faultsOf('runs'))
  return {
    run: async (job) => {
      const startedAt = performance.now()
      const outcome = await sandbox.run(job)
      tell(() => metrics.work.onScriptEnded(outcome.kind, (performance.now() - startedAt) / 1000))
      return outcome
    },
  }
}

function activeMsOf({ startedAt, endedAt, pauseMs }: { startedAt: Date; endedAt: Date; pauseMs: number }): number {
  return Math.max(0, endedAt.getTime() - startedAt.getTime() - pauseMs)
}
