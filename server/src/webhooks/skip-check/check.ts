// The skip script looks at each request before a run takes it. It can keep nothing and break nothing: a throw, a time-out or a crash counts
// as an error of the request, and a worker that dies here leaves the job to another, which asks the script again.
import { DamagedContentError } from '../../contents/index.ts'
import type { Database, Scope, Tx } from '../../db/index.ts'
import type { Job, JobQueue } from '../../queue/index.ts'
import { type Answers, callVault, type EndWatch, failedAnswer } from '../../runs/index.ts'
import type { LibraryFunction, SandboxPool, ScriptOutcome } from '../../sandbox/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Vault } from '../../vault/index.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import { type CheckJob, type FeedDeps, startRuns, webhookCheckQueue } from '../queue/feed.ts'
import { shareOrder } from '../queue/locks.ts'
import { judgeErrors } from '../queue/settle.ts'
import { backToQueue, type HeldItem, leaveQueue, listHeld } from '../queue/settle-store.ts'
import { type TellDeps, tellGivenUp } from '../queue/tell-given-up.ts'
import { type LoadedWebhook, loadWebhooks } from '../request/load-requests.ts'
import { findCheckSettings, findForCheck } from './store.ts'
import { tellFailing } from './tell-failing.ts'

export type CheckDeps = FeedDeps &
  TellDeps & {
    database: Database
    keyRing: KeyRing
    jobs: JobQueue
    vault: Vault
    sandbox: Pick<SandboxPool, 'run'>
    functions: { list(organizationId: string, workflowId: string): Promise<readonly LibraryFunction[]> }
    findDefinition(accountId: string, workflowId: string): Promise<WorkflowDefinition | undefined>
    wake(accountId: string): void
    answers: Answers
    ends: Pick<EndWatch, 'tell'>
  }

type Settings = { skipScript: string; dateLastRun: Date | null }
/** May a run take this request? */
type Question = { definition: WorkflowDefinition; settings: Settings; webhookId: string }
type Verdict = 'run' | 'skip' | { error: string }

const timeMs = 5000

/** Looks at what the job has in hand and lets go of it, in one transaction with the end of the job. Throws when it was told to stop. */
export async function check(deps: CheckDeps, job: Job<CheckJob>, signal: AbortSignal): Promise<void> {
  const { accountId, workflowId } = job.data
  const { system } = deps.database
  const [items, definition, settings] = await Promise.all([
    listHeld(system, [accountId], [job.id]),
    deps.findDefinition(accountId, workflowId),
    findCheckSettings(system, workflowId),
  ])
  const verdicts = new Map<string, Verdict>()
  for (const { webhookId } of definition ? items : []) {
    const verdict = await judge(deps, { definition: definition!, settings, webhookId }, signal)
    signal.throwIfAborted()
    verdicts.set(webhookId, verdict)
  }
  await system.transaction(async (tx) => {
    if (verdicts.size > 0) await settle(deps, tx, { ...job.data, holder: job.id }, verdicts)
    await deps.jobs.finish(tx, webhookCheckQueue, [job])
    tx.afterCommit(() => deps.wake(accountId))
  })
}

async function judge(
  deps: CheckDeps,
  { definition, settings, webhookId }: Question,
  signal: AbortSignal,
): Promise<Verdict> {
  if (settings.skipScript === '') return 'run'
  try {
    const [webhook] = await loadWebhooks(deps, definition.accountId, [webhookId])
    return await ask(deps, definition, { ...settings, webhook: webhook ?? null }, signal)
  } catch (error) {
    if (error instanceof DamagedContentError) return { error: error.message }
    throw error
  }
}

async function settle(
  deps: CheckDeps,
  tx: Tx,
  { holder, accountId, workflowId, isTry = false }: CheckJob & { holder: string },
  verdicts: ReadonlyMap<string, Verdict>,
): Promise<void> {
  await shareOrder(tx, [workflowId])
  const workflow = await findForCheck(tx, accountId, workflowId, isTry)
  if (!workflow) return
  const items = await listHeld(tx, [accountId], [holder])
  const verdictOf = ({ webhookId }: HeldItem) => verdicts.get(webhookId) ?? 'run'
  const erring = items.filter((item) => typeof verdictOf(item) === 'object')
  const passing = items.filter((item) => verdictOf(item) === 'run')
  // In a lane nothing may overtake what has to be tried again.
  const firstError = items.findIndex((item) => item.lane !== null && typeof verdictOf(item) === 'object')
  const mayRun = (item: HeldItem) => workflow.canRun && (firstError === -1 || items.indexOf(item) < firstError)
  const errorOf = (item: HeldItem) => (verdictOf(item) as { error: string }).error
  // A sender that waits is told, and decides whether to send its request again.
  const told = workflow.answers ? erring : []
  const judged = judgeErrors(workflow.answers ? [] : erring, errorOf)
  const skipped = items.filter((item) => verdictOf(item) === 'skip')
  const runnable = passing.filter(mayRun).map(({ webhookId }) => webhookId)
  const units = runnable.length > 0 ? [{ workflow, webhookIds: runnable }] : []
  const started = await startRuns(deps.starter, tx, accountId, units)
  const putBack = passing.filter(({ webhookId }) => !started.has(webhookId))
  await backToQueue(tx, [
    ...judged.waiting,
    ...putBack.map(({ webhookId, errorCounter }) => ({ webhookId, errorCounter, errorMessage: null, delayMs: 0 })),
  ])
  const givenUp = new Set(judged.givenUp.map(({ webhookId }) => webhookId))
  const first = erring.find((item) => item.errorCounter === 0 && !item.isFaulted && !givenUp.has(item.webhookId))
  if (first) await tellFailing(deps, tx, first, errorOf(first))
  await tellGivenUp(deps, tx, judged.givenUp)
  if (told.length > 0)
    await deps.answers.insert(
      tx,
      told.map(({ webhookId }) => ({ ...failedAnswer, webhookId, accountId, workflowId, runId: null })),
    )
  if (workflow.answers) tx.afterCommit(() => deps.ends.tell(skipped.map(({ webhookId }) => webhookId)))
  await leaveQueue(tx, [
    ...judged.leaving,
    ...told.map((item) => ({
      webhookId: item.webhookId,
      status: 'Skipped' as const,
      errorMessage: errorOf(item),
      withoutRun: true,
    })),
    ...skipped.map(({ webhookId }) => ({
      webhookId,
      status: 'Skipped' as const,
      errorMessage: null,
      withoutRun: true,
    })),
  ])
}

async function ask(
  deps: CheckDeps,
  definition: WorkflowDefinition,
  { skipScript, dateLastRun, webhook }: Settings & { webhook: LoadedWebhook | null },
  signal: AbortSignal,
): Promise<Verdict> {
  const { accountId, organizationId, workflowId } = definition
  const scope: Scope = { organizationId, accountId }
  const outcome = await deps.sandbox.run({
    organizationId,
    accountId,
    script: skipScript,
    fileName: 'skipScript',
    inputs: {
      dataSources: [],
      variables: Object.fromEntries(Object.entries(definition.variables).map(([name, { value }]) => [name, value])),
      session: { vars: {}, vault: {}, vaultGlobal: {} },
      webhook,
      dateLastRun: dateLastRun?.toISOString() ?? null,
      run: null,
    },
    library: await deps.functions.list(organizationId, workflowId),
    capabilities: { api: false, vault: true, email: false },
    secrets: definition.secrets,
    limits: { timeMs, pauseMsMax: timeMs },
    signal,
    startsAgain: true,
    onCall: async (call) => ('scope' in call ? callVault(deps.vault, { scope, workflowId }, call) : null),
  })
  return toVerdict(outcome)
}

function toVerdict(outcome: ScriptOutcome): Verdict {
  if (outcome.kind === 'returned') return outcome.value ? 'skip' : 'run'
  return { error: `The skip script failed: ${outcome.message}`.replaceAll('\0', '') }
}
