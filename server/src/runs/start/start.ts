// RunWorkflow: what must be right before a run may start.
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Contents } from '../../contents/index.ts'
import type { Database, Scope, Tx } from '../../db/index.ts'
import { listBlockOf, sourcesWithSameItems } from '../../engine/chain/same-items.ts'
import { joinProblems } from '../../engine/problem.ts'
import { scopeRun } from '../../engine/run/run-scope.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { StorageLedger } from '../../storage/index.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import { listBlocks, type StoredBlock } from '../execute/claim-store.ts'
import type { FindDefinition } from '../execute/definition-cache.ts'
import { readsItemKeys } from '../execute/item-keys.ts'
import { openDeferred, sealDeferred } from '../execute/sealed-deferred.ts'
import { findRun } from '../history/history-store.ts'
import { copyItems } from '../record/carry-items.ts'
import type { PartialOptions } from '../run.ts'
import { type Carried, carryContents, writeCarried } from './carry-contents.ts'
import { requireSmall } from './require-small.ts'
import { copyBlocks, updateDeferred } from './start-store.ts'
import { applicationsMissing, notDeployed, type RunRequest, type RunStarter, type StartedRun } from './starter.ts'

export type StartDeps = {
  database: Database
  keyRing: KeyRing
  contents: Pick<Contents, 'keep' | 'read'>
  starter: RunStarter
  ledger: Pick<StorageLedger, 'requireRoom'>
  findDefinition: FindDefinition
  /** Short names of applications that the workflow needs and that are not there, or not signed in. */
  missingApplications(scope: Scope, definition: WorkflowDefinition): Promise<string[]>
  webhooks: WebhookPorts
}

/** What starting a run asks of webhooks. */
export type WebhookPorts = {
  /** A request that the workflow received; undefined when there is none of that id. */
  find(scope: Scope, workflowId: string, webhookId: string): Promise<FoundWebhook | undefined>
  /**
   * Hands the requests of a failed run to its retry; a partial run is an experiment and leaves the queue alone. Throws when one of them succeeded meanwhile, is being processed, or
   * is gone.
   */
  hold(tx: Tx, retry: RetriedWebhooks): Promise<void>
}

export type FoundWebhook = {
  updateDateLastRun: boolean
  isBatch: boolean
  /** It waits in the queue. */
  isQueued: boolean
}

export type RetriedWebhooks = {
  accountId: string
  workflowId: string
  webhookIds: readonly string[]
  /** When the failed run had started. */
  failedSince: Date
  run: { id: string; runNumber: number }
  isPartial: boolean
}

export type StartBody = {
  workflowId: string
  webhookId?: string
  runFromBlock?: number
  runTillBlock?: number
  items?: string[]
  waitForReal?: boolean
  input?: unknown
}

export async function startRun(deps: StartDeps, principal: Principal, body: StartBody): Promise<StartedRun> {
  const { webhookId, runFromBlock, runTillBlock } = body
  const partial = partialOf(body)
  const scope = scopeOf(principal)
  deps.ledger.requireRoom(scope.accountId)
  const request: RunRequest = {
    accountId: scope.accountId,
    workflowId: body.workflowId,
    runBy: principal.credential.kind === 'session' ? 'Manual' : 'API',
    startedBy: principal.caller.id,
    ...inputOf(body.input),
    needsApplications: true,
  }
  if (webhookId === undefined && runFromBlock === undefined && runTillBlock === undefined) {
    // The plain start asks nothing first: what the statement that starts it needs to know, it looks up itself.
    return deps.starter.start(request)
  }
  const definition = await deps.findDefinition(scope.accountId, request.workflowId)
  if (!definition) throw notFound('workflow')
  const { state } = definition
  const webhook =
    webhookId === undefined ? undefined : await deps.webhooks.find(scope, definition.workflowId, webhookId)
  // Nothing takes up by itself what was left in the queue of an archived workflow; a person may.
  request.mayBeArchived = state === 'archived' && webhook?.isQueued === true
  if (state !== 'deployed' && !request.mayBeArchived) throw notDeployed(state)
  await refuseMissing(deps, scope, definition)
  if (webhookId !== undefined) {
    if (!webhook) throw new AppError('invalid_request', `The workflow has no webhook request ${webhookId}.`)
    request.webhookIds = [webhookId]
    request.isWebhookBatch = webhook.isBatch
    request.movesDateLastRun = webhook.updateDateLastRun
  }
  const range = {
    ...(runFromBlock === undefined ? {} : { runFromBlock }),
    ...(runTillBlock === undefined ? {} : { runTillBlock }),
  }
  if (Object.keys(range).length === 0) return deps.starter.start(request)
  return startPartial(deps, definition, { ...request, range, ...partial })
}

function partialOf({ runFromBlock, runTillBlock, items, waitForReal }: StartBody): { partial?: PartialOptions } {
  if (items === undefined && waitForReal === undefined) return {}
  if (runFromBlock === undefined && runTillBlock === undefined) {
    const sentence = 'items and waitForReal are for partial runs. Give runFromBlock or runTillBlock.'
    throw new AppError('invalid_request', sentence)
  }
  return { partial: { ...(items ? { items } : {}), ...(waitForReal ? { waitForReal } : {}) } }
}

/** JSON text for the row of the run; nothing for null, which is what a run without input sees. */
export function inputOf(input: unknown): { input?: string } {
  if (input === undefined || input === null) return {}
  return { input: requireSmall('input', input) }
}

async function startPartial(deps: StartDeps, definition: WorkflowDefinition, request: RunRequest): Promise<StartedRun> {
  const { accountId, workflowId } = request
  const latest = await findRun(deps.database.system, accountId, workflowId, undefined)
  const stored = latest ? await listBlocks(deps.database.system, accountId, latest.id) : []
  const ready = new Set(stored.filter(({ status }) => status !== 'Error').map(({ blockId }) => blockId))
  const checked = scopeRun(definition.chain, request.range ?? {}, ready)
  if (!checked.ok) throw new AppError('blocks_invalid', joinProblems(checked.problems))
  const { reused, blocks } = checked.value
  const hasItems = definition.chain.some(({ uniqueBlockId, forEach }) => forEach && blocks.includes(uniqueBlockId))
  if (request.partial?.items && !hasItems)
    throw new AppError('blocks_invalid', 'None of the blocks to run has items, so the field items cannot be used.')
  const id = newId()
  const { system: db } = deps.database
  const carried = latest ? await carryContents({ ...deps, db }, accountId, latest.id, id) : []
  const started = await db.transaction((tx) =>
    startWith(
      deps,
      tx,
      { ...request, id },
      {
        definition,
        source: latest && { runId: latest.id, blocks: stored },
        reused,
        carried,
        keepsDeferred: false,
      },
    ),
  )
  deps.starter.wake()
  return started
}

type Reuse = {
  definition: WorkflowDefinition
  source: { runId: string; blocks: readonly StoredBlock[] } | undefined
  reused: readonly string[]
  /** Contents of the source that lie elsewhere, made ready for the run. */
  carried: Carried
  keepsDeferred: boolean
}

/** The caller wakes the workers once its transaction is through. */
export async function startWith(
  deps: StartDeps,
  tx: Tx,
  request: RunRequest,
  { definition, source, reused, carried, keepsDeferred }: Reuse,
): Promise<StartedRun> {
  const run = await deps.starter.startIn(tx, request)
  // The checks were made against the revision that was newest a moment ago.
  if (run.revision !== definition.revision)
    throw new AppError('blocks_invalid', 'The workflow changed while the run was being started. Try again.')
  if (!source || reused.length === 0) return run
  const { accountId } = request
  const copy = { fromRunId: source.runId, toRunId: run.id, accountId }
  await copyBlocks(tx, { ...copy, blockIds: reused })
  await copyItems(tx, { ...copy, blockIds: listFollowed(definition, new Set(reused)), withFailed: true })
  await writeCarried(tx, accountId, run.id, carried)
  const last = source.blocks.filter(({ blockId }) => reused.includes(blockId)).at(-1)
  if (keepsDeferred && last?.sealedDeferred) {
    // Sealed values are bound to their row, so they are sealed anew for the new one.
    const { blockId } = last
    const from = { runId: source.runId, blockId, accountId }
    const deferred = await openDeferred(deps.keyRing, from, last.sealedDeferred)
    const sealed = await sealDeferred(deps.keyRing, { runId: run.id, blockId, accountId }, deferred)
    await updateDeferred(tx, { runId: run.id, blockId, accountId, sealed })
  }
  return run
}

/** Blocks that are reused and whose single items those that run will ask for. */
function listFollowed({ chain }: WorkflowDefinition, reused: ReadonlySet<string>): string[] {
  const blocks = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const wanted = chain
    .filter(({ uniqueBlockId }) => !reused.has(uniqueBlockId))
    .flatMap((block) => [
      ...sourcesWithSameItems(blocks, block),
      ...(block.forEach?.sameItemsAs === undefined ? [] : [listBlockOf(blocks, block.uniqueBlockId)]),
      ...(readsItemKeys(block.script) ? block.dataSources : []),
    ])
  return [...new Set(wanted)].filter((id) => id !== undefined && reused.has(id) && blocks.get(id)?.forEach) as string[]
}

async function refuseMissing(deps: StartDeps, scope: Scope, definition: WorkflowDefinition): Promise<void> {
  const missing = await deps.missingApplications(scope, definition)
  if (missing.length > 0) throw applicationsMissing(missing)
}
