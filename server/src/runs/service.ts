// The room of runs put together: one starter for everybody who starts runs, and a worker for processes that run them.

import type { Principal } from '../access/index.ts'
import type { Contents } from '../contents/index.ts'
import type { Database, Scope, Tx } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import type { FunctionLibrary } from '../functions/index.ts'
import type { Json } from '../lib/json.ts'
import type { JsonText } from '../lib/json-text.ts'
import type { JobQueue } from '../queue/index.ts'
import type { SandboxPool } from '../sandbox/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import type { RunTraces } from '../tracing/index.ts'
import type { Vault } from '../vault/index.ts'
import { approvalPages } from './approve/approval-page.ts'
import type { AskDeps } from './approve/begin-approval.ts'
import { createAwaiting } from './await/answering.ts'
import type { WaitSlots } from './await/end-watch.ts'
import { Dispatcher, type DispatcherOptions } from './dispatch/dispatcher.ts'
import { DefinitionCache, type FindDefinition } from './execute/definition-cache.ts'
import type { ScriptPorts } from './execute/script-calls.ts'
import { scriptLibrary } from './execute/script-library.ts'
import { openDeferred, sealDeferred } from './execute/sealed-deferred.ts'
import { WriteIntents } from './execute/write-intents.ts'
import { findRunDetail } from './history/history.ts'
import { Retention } from './history/retention.ts'
import { settlingItems } from './ledger/settle-items.ts'
import { pauseWorkflow } from './pause/pause.ts'
import { type ResumeDeps, resumeWorkflow } from './pause/resume.ts'
import { DayTables } from './record/day-tables.ts'
import type { OnRunsEnded } from './record/entries.ts'
import { ItemRecords } from './record/item-store.ts'
import { RunRecorder } from './record/recorder.ts'
import { RunWaits } from './record/wait-store.ts'
import { TapeRoom } from './recording/run-tape.ts'
import { runRoutes } from './routes.ts'
import type { Run, RunNews } from './run.ts'
import { askToStop, listInHand, removeRuns } from './start/remove.ts'
import { retryRun } from './start/retry.ts'
import type { StartDeps, WebhookPorts } from './start/start.ts'
import { RunStarter } from './start/starter.ts'
import { settleDeleted, settlingFamilies } from './wake/end-children.ts'
import { resumeEndpoint } from './wake/resume-run.ts'
import { sendEvent } from './wake/send-event.ts'
import { WaitStarter } from './wake/wait-starter.ts'

export type RunsDeps = AskDeps & {
  slots: WaitSlots
  database: Database
  keyRing: KeyRing
  contents: Contents
  jobs: JobQueue
  vault: Vault
  sandbox: Pick<SandboxPool, 'run'>
  traces?: Pick<RunTraces, 'beginCall'> | undefined
  functions: FunctionLibrary
  findDefinition: FindDefinition
  applications: ScriptPorts['applications']
  sendEmail: ScriptPorts['sendEmail']
  secretsOf(scope: Scope, regApplicationIds: string[]): Promise<readonly string[]>
  missingApplications: StartDeps['missingApplications']
  webhooks: WebhookPorts & {
    /** What a script sees as `webhook`; undefined when a request of the run is kept no longer. */
    load(run: Run): Promise<Json | JsonText | undefined>
  }
  ledger: StorageLedger
  /** Accounts that are about to leave for another cell. */
  heldAccounts(): ReadonlySet<string>
  onRunsEnded: OnRunsEnded
  publish: PublishEvents
  news: RunNews
  runTimeoutSeconds: number
  retention: { daysKept: number; runsKeptMax: number }
  onFault(error: unknown, about?: object): void
}

export function createRuns(deps: RunsDeps) {
  const { database, jobs, keyRing, contents, vault, onFault } = deps
  const starter = new RunStarter({ database, jobs, news: deps.news })
  const definitions = new DefinitionCache(deps.findDefinition)
  const { onRunsEnded, ...awaiting } = createAwaiting(
    { database, contents, definitions, slots: deps.slots, onFault },
    settlingFamilies(jobs, settlingItems(deps.onRunsEnded)),
  )
  const recorder = new RunRecorder({ ...deps, onRunsEnded, answers: awaiting.answers })
  const items = new ItemRecords({ db: database.system, keyRing, answers: awaiting.answers, onFault })
  const functions = scriptLibrary(deps.functions)
  const ports: ScriptPorts = {
    vault,
    applications: deps.applications,
    sendEmail: deps.sendEmail,
    sendEvent: (accountId, event) => sendEvent({ database, jobs }, accountId, event),
  }
  const onRemoved = (tx: Tx, ids: readonly string[]) => settleDeleted(jobs, onRunsEnded, tx, ids)
  const history = { database, contents, runsKeptMax: deps.retention.runsKeptMax }
  const findDetail = (scope: Scope, workflowId: string, runNumber: number) =>
    findRunDetail(history, scope, workflowId, runNumber)
  const waitStarter = new WaitStarter({ ...deps, starter })
  return {
    starter,
    ...awaiting,
    routes: runRoutes({ ...deps, ...history, ...awaiting, starter, onRunsEnded, definitions, functions }),
    pages: approvalPages({ database, jobs }),
    rawRoutes: [resumeEndpoint({ database, jobs })],
    ofWorkflows: { ...forWorkflows({ database, jobs }, onRemoved), find: findDetail },
    /** What is done to many workflows at once, as to one. */
    ofBulk: verbsFor({ ...deps, ...awaiting, starter }),
    createWorker: (options?: DispatcherOptions): Dispatcher =>
      new Dispatcher(
        {
          database,
          jobs,
          keyRing,
          contents,
          definitions,
          dayTables: new DayTables(database.system),
          recorder,
          news: deps.news,
          sandbox: deps.sandbox,
          traces: deps.traces,
          functions,
          portsOf: () => ports,
          secretsOf: deps.secretsOf,
          runTimeoutSeconds: deps.runTimeoutSeconds,
          tapeRoom: new TapeRoom(),
          intents: new WriteIntents(database.system),
          waits: new RunWaits(database, jobs),
          items,
          itemKeys: items,
          waitStarter,
          createResumeUrl: (claim, at) => waitStarter.createResumeUrl(claim, at),
          readResult: awaiting.readResult,
          openDeferred: ({ run }, blockId, sealed) =>
            openDeferred(keyRing, { runId: run.id, blockId, accountId: run.accountId }, sealed),
          ledger: deps.ledger,
          heldAccounts: deps.heldAccounts,
          loadWebhook: deps.webhooks.load,
          sealDeferred: ({ run }, blockId, session) =>
            sealDeferred(keyRing, { runId: run.id, blockId, accountId: run.accountId }, session),
          onFault,
        },
        options,
      ),
    createRetention: (): Retention => new Retention(database, deps.retention, onFault),
  }
}

/** What workflows ask of runs. */
function forWorkflows(
  deps: Pick<RunsDeps, 'database' | 'jobs'>,
  onRemoved: (tx: Tx, ids: readonly string[]) => Promise<void>,
) {
  return {
    listInHand: (workflowId: string) => listInHand(deps, workflowId),
    askToStop: (ids: readonly string[], isAborted: boolean) => askToStop(deps, ids, isAborted),
    remove: (tx: Tx, workflowId: string) => removeRuns({ ...deps, onRemoved }, tx, workflowId),
  }
}

function verbsFor(deps: StartDeps & ResumeDeps) {
  return {
    retry: (principal: Principal, workflowId: string, runNumber: number) =>
      retryRun(deps, principal, workflowId, runNumber),
    pause: (principal: Principal, workflowId: string) => pauseWorkflow(deps, principal, workflowId),
    resume: (principal: Principal, workflowId: string) => resumeWorkflow(deps, principal, workflowId),
  }
}
