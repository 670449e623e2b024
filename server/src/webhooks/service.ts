// The room of webhooks put together. Every process can take requests; processes that run workflows also start what waits.

import { type Contents, DamagedContentError } from '../contents/index.ts'
import type { Database, Scope, Tx } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import type { FunctionLibrary } from '../functions/index.ts'
import type { RawRoute } from '../http/index.ts'
import { dottedCell } from '../lib/cell.ts'
import type { Json } from '../lib/json.ts'
import { JsonText, textArray } from '../lib/json-text.ts'
import { type EndedRun, type EndWatch, type Run, scriptLibrary } from '../runs/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import { startReplaying } from './history/replay.ts'
import { WebhookRetention } from './history/retention.ts'
import type { AwaitDeps } from './intake/await-answer.ts'
import { webhookEndpoint } from './intake/endpoint.ts'
import { Intake, type OnQueueChange } from './intake/intake.ts'
import { KnownWebhooks } from './intake/known-webhooks.ts'
import { RefusalLog } from './intake/refusal-log.ts'
import { Feeder, RemoteFeeder } from './queue/feeder.ts'
import { holdForRetry } from './queue/hold-for-retry.ts'
import { lookUpLanes, reorderQueue } from './queue/reorder.ts'
import { holdsRequests, settleRuns } from './queue/settle.ts'
import { isInQueue, listWaitingAfterErrors } from './queue/settle-store.ts'
import { createLoader, findStored, type LoadedWebhook } from './request/load-requests.ts'
import { RecentRequests } from './request/recent-requests.ts'
import { webhookRoutes } from './routes.ts'
import type { ChangeDeps } from './settings/change-settings.ts'
import { findSettings } from './settings/store.ts'
import type { CheckDeps } from './skip-check/check.ts'
import { CheckWorker } from './skip-check/worker.ts'

/** Requests of one account that may wait at once. */
const queuedPerAccountMax = 100_000

export type WebhooksDeps = Pick<CheckDeps, 'database' | 'keyRing' | 'jobs' | 'vault' | 'sandbox' | 'findDefinition'> & {
  contents: Contents
  functions: FunctionLibrary
  publish: PublishEvents
  baseUrl(): string
  checkScript: ChangeDeps['checkScript']
  /** Without a slash at its end. */
  webhookUrl(): string
  daysKept: number
  onQueueChange: OnQueueChange
  ledger: StorageLedger
  onFault(error: unknown): void
}

/** What runs ask of webhooks. They are there before webhooks are, which start runs: so these come first and learn the feeder later. */
export function createRunPorts(deps: Pick<WebhooksDeps, 'database' | 'keyRing' | 'publish' | 'baseUrl'>) {
  const recent = new RecentRequests()
  const load = createLoader({ ...deps, recent })
  let onRoom: (accountId: string, hasMore: boolean) => void = () => {}
  return {
    recent,
    find: (scope: Scope, workflowId: string, webhookId: string) =>
      findRerun(deps.database, scope, workflowId, webhookId),
    hold: holdForRetry,
    load: async ({ accountId, webhookIds, isWebhookBatch }: Run): Promise<Json | JsonText | undefined> => {
      const wanted = webhookIds ?? []
      const values = await load(accountId, wanted).catch((error): LoadedWebhook[] => {
        if (error instanceof DamagedContentError) return []
        throw error
      })
      // A script that works without its request would end well and have done nothing.
      if (values.length < wanted.length) return undefined
      return isWebhookBatch ? listOf(values) : values[0]
    },
    /** Answers the failed runs whose requests had all failed before. */
    onRunsEnded: async (tx: Tx, ended: readonly EndedRun[]): Promise<ReadonlySet<string>> => {
      const ours = ended.filter(holdsRequests)
      if (ours.length === 0) return new Set()
      const { withMore, repeated } = await settleRuns(deps, tx, ours)
      tx.afterCommit(() => {
        for (const accountId of new Set(ours.map((run) => run.accountId))) onRoom(accountId, withMore.has(accountId))
      })
      return repeated
    },
    listWaitingAfterErrors,
    /** Something of an account was done; `hasMore`: something else of it waits. */
    onRoom: (listener: (accountId: string, hasMore: boolean) => void) => {
      onRoom = listener
    },
  }
}

export function createWebhooks(
  deps: WebhooksDeps &
    Pick<CheckDeps, 'starter' | 'answers'> &
    Omit<AwaitDeps, 'ends'> & { ends: EndWatch; runPorts: ReturnType<typeof createRunPorts> },
) {
  const { database, onFault } = deps
  const remote = new RemoteFeeder(database, onFault)
  let feeder: Feeder | undefined
  const wake = (accountId: string, hasRoom = false) =>
    feeder ? feeder.wake(accountId, hasRoom) : remote.wake(accountId)
  // Looking for nothing would cost as much as a start.
  deps.runPorts.onRoom((accountId, hasMore) => (hasMore ? wake(accountId, true) : feeder?.makeRoom(accountId)))
  const known = new KnownWebhooks(deps)
  const { recent } = deps.runPorts
  const intake = new Intake({
    database,
    contents: deps.contents,
    recent,
    ledger: deps.ledger,
    queuedPerAccountMax,
    onStored: (accountId) => wake(accountId),
    onQueueChange: deps.onQueueChange,
  })
  const refusals = new RefusalLog(database, onFault)
  const addressOf = (workflowId: string, urlParameters: string) =>
    `${deps.webhookUrl()}/${dottedCell(workflowId)}${urlParameters === '' ? '' : `?${urlParameters}`}`
  return {
    routes: webhookRoutes({
      ...deps,
      queuedPerAccountMax,
      wake,
      addressOf,
      lookUpLanes: (key, order) => lookUpLanes(deps, key, order),
      reorderQueue: (tx, key, order, lanes) => reorderQueue(deps, tx, { key, order }, lanes),
      onChange: ({ workflowId, accountId }) => {
        known.forget(workflowId)
        wake(accountId)
      },
    }),
    rawRoutes: [
      webhookEndpoint({ known, intake, refusals, webhookUrl: deps.webhookUrl, awaiting: deps }),
    ] satisfies RawRoute[],
    /** What workflows ask of webhooks. */
    ofWorkflows: {
      addressOf: async (scope: Scope, workflowId: string): Promise<string> => {
        const found = await findSettings(database.forScope(scope), scope.accountId, workflowId)
        return addressOf(workflowId, found?.settings?.urlParameters ?? '')
      },
    },
    /** Starts what waits, for processes that run workflows. */
    startWorker: async (): Promise<AsyncDisposable> => {
      const parts = new AsyncDisposableStack()
      recent.begin()
      const retention = parts.use(new WebhookRetention(database, deps.daysKept, onFault))
      feeder = parts.use(new Feeder({ ...deps, onFault }))
      const feed = (accountId: string) => {
        deps.onQueueChange(accountId, null)
        wake(accountId, true)
      }
      parts.use(new CheckWorker({ ...deps, functions: scriptLibrary(deps.functions), wake: feed })).start()
      await Promise.all([
        retention.start(),
        feeder.start(),
        startReplaying({ ...deps, queuedPerAccountMax, wake: feed }),
      ])
      return parts
    },
  }
}

/** Text as soon as one of them is. */
function listOf(values: LoadedWebhook[]): Json | JsonText {
  const isText = values.some((value) => value instanceof JsonText)
  return isText ? textArray(values) : (values as Json[])
}

async function findRerun(database: Database, scope: Scope, workflowId: string, webhookId: string) {
  const db = database.forScope(scope)
  const [[stored], found, isQueued] = await Promise.all([
    findStored(db, scope.accountId, [webhookId]),
    findSettings(db, scope.accountId, workflowId),
    isInQueue(db, scope.accountId, webhookId),
  ])
  if (stored?.workflowId !== workflowId) return undefined
  return {
    updateDateLastRun: found?.settings?.updateDateLastRun ?? false,
    isBatch: found?.settings?.isBatch ?? false,
    isQueued,
  }
}
