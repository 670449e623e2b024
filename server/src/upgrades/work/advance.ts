/**
 * The turns of an upgrade, on workers. A job says that it is time; what is to be done stands in the rows:
 *
 *   Running ─► wave after wave: pending ─► upgraded | upToDate | conflict | problem | skipped ─► Completed
 *   Running, rolling back: upgraded ─► rolledBack, or stays because it was edited since ─► RolledBack
 *
 * Any number of workers may work on the same turn: each workflow is changed only while its item is pending and its revision is the one
 * that was merged, in one transaction with its item, so a worker that dies leaves nothing half done and nothing is done twice.
 */
import { ContentAwayError } from '../../contents/index.ts'
import { isTransient } from '../../db/index.ts'
import { findBases, loadWorkflows, type SealedRevision, sealRevisions, storeRevisions } from '../../workflows/index.ts'
import { type Ending, endItems, findNextWave, listPending, type PendingItem } from '../item-store.ts'
import { describeBroken, describeJudgement } from '../judge/describe.ts'
import { Judge } from '../judge/judge.ts'
import { describeStale } from '../plan/plan-items.ts'
import type { UpgradeDeps } from '../ports.ts'
import { changing, findUpgrade, holding, type Upgrade, updateState, updateWave, updateWaveDue } from '../store.ts'
import { noChoices, openChoices } from '../target/choices.ts'
import { sendTurn, type Turn } from '../turn.ts'
import { actorFor } from './actor.ts'
import { rollBackAll } from './roll-back.ts'
import { listWorking } from './watch-store.ts'

const changedAtOnce = 50
/** Replays take their time, and between two steps somebody may pause the upgrade. */
const replayedAtOnce = 5
/** Somebody who keeps editing a workflow keeps it from being upgraded, but not the others. */
const lostRacesMax = 20

/** Throws when the signal says that the process is about to end: the job is then taken again, by another one. */
export async function advanceUpgrade(deps: UpgradeDeps, { id, turn }: Turn, signal: AbortSignal): Promise<void> {
  let judge: Judge | undefined
  let lostRaces = 0
  for (;;) {
    signal.throwIfAborted()
    const upgrade = await findUpgrade(deps.database.system, id)
    if (upgrade?.state !== 'Running' || upgrade.turn !== turn) return
    if (upgrade.isRollingBack) return rollBackAll(deps, upgrade, signal)
    const atOnce = upgrade.replayRuns > 0 ? replayedAtOnce : changedAtOnce
    const items = await listPending(deps.database.system, id, upgrade.wave, atOnce)
    if (items.length > 0) {
      judge ??= await createJudge(deps, upgrade)
      const givesUp = lostRaces >= lostRacesMax
      const isProgress = await changeItems(deps, { upgrade, judge, items, givesUp, signal })
      lostRaces = isProgress ? 0 : lostRaces + 1
    } else if (!(await endWave(deps, upgrade))) return
  }
}

async function createJudge(deps: UpgradeDeps, upgrade: Upgrade): Promise<Judge> {
  const { organizationId, workflowTemplateId, toVersion: version, baseDigest } = upgrade
  const bases = await findBases(deps.database.system, [baseDigest])
  const theirs = bases.get(baseDigest.toString('hex'))
  if (!theirs) throw new Error(`The base of upgrade ${upgrade.id} is missing.`)
  const versions = await deps.catalog.listTemplateVersions(organizationId, workflowTemplateId)
  return new Judge(deps, deps.database.system, { version, theirs, versions })
}

/** False when another wave does not follow at once. */
async function endWave(deps: UpgradeDeps, upgrade: Upgrade): Promise<boolean> {
  return deps.database.system.transaction(async (tx) => {
    const current = await findUpgrade(tx, upgrade.id, changing)
    if (current?.state !== 'Running' || current.turn !== upgrade.turn) return false
    const wave = await findNextWave(tx, upgrade.id)
    if (wave === undefined) {
      await updateState(tx, upgrade.id, { state: 'Completed', isRollingBack: false })
      return false
    }
    const { id, turn, waveMinutes } = upgrade
    const waits = waveMinutes > 0
    // A job that is taken again, because its worker died after this, must not begin the wave that has to wait.
    const next = { wave, turn: waits ? turn + 1 : turn }
    if (!(await updateWave(tx, upgrade, next)) || !waits) return true
    await updateWaveDue(tx, upgrade)
    await sendTurn(deps.jobs, tx, { id, turn: next.turn }, waveMinutes)
    return false
  })
}

type Step = {
  upgrade: Upgrade
  judge: Judge
  items: readonly PendingItem[]
  /** Workflows that somebody was faster with again are skipped. */
  givesUp: boolean
  signal: AbortSignal
}

/** A fault of one workflow must not hold up the others: then each is tried by itself. */
async function changeItems(deps: UpgradeDeps, step: Step): Promise<boolean> {
  const { upgrade, items, signal } = step
  try {
    return await changeTogether(deps, step)
  } catch (error) {
    if (isTransient(error) || error instanceof ContentAwayError || signal.aborted) throw error
    deps.onFault(error)
    const [item] = items
    if (items.length === 1 && item) {
      const message = 'The workflow could not be upgraded because of an internal error. The log says more.'
      const ending: Ending = { ...untouched(item), outcome: 'problem', message }
      await deps.database.system.transaction((tx) => endItems(tx, upgrade.id, [ending]))
      return true
    }
    for (const one of items) await changeItems(deps, { ...step, items: [one] })
    return true
  }
}

async function changeTogether(deps: UpgradeDeps, step: Step): Promise<boolean> {
  const { upgrade, items, givesUp, signal } = step
  const decided = await decide(deps, step)
  const broken = await findBroken(deps, upgrade, decided.revisions, signal)
  const endings = [...decided.endings, ...broken]
  const held = new Set(broken.map(({ workflowId }) => workflowId))
  const revisions = decided.revisions.filter(({ revision }) => !held.has(revision.current.id))
  const sealed = await sealRevisions(
    deps.keyRing,
    revisions.map(({ revision }) => revision),
  )
  return deps.database.system.transaction(async (tx) => {
    const current = await findUpgrade(tx, upgrade.id, holding)
    if (current?.state !== 'Running' || current.turn !== upgrade.turn) return true
    const working =
      upgrade.watchRuns === 0
        ? new Set<string>()
        : await listWorking(
            tx,
            items.map(({ workflowId }) => workflowId),
          )
    const stored = await storeRevisions(tx, sealed)
    const upgraded = revisions.flatMap(({ revision: { current: before }, message }): Ending[] => {
      if (!stored.has(before.id)) return []
      const revisionBefore = before.revision
      return [
        {
          workflowId: before.id,
          outcome: 'upgraded',
          revisionBefore,
          revisionAfter: revisionBefore + 1,
          message,
          isWatched: working.has(before.id),
        },
      ]
    })
    const message = 'The workflow kept being changed by others.'
    const lost = revisions.filter(({ revision }) => !stored.has(revision.current.id))
    const givenUp = givesUp
      ? lost.map(
          ({ revision }): Ending => ({
            ...untouched({ workflowId: revision.current.id }),
            outcome: 'skipped',
            message,
          }),
        )
      : []
    await endItems(tx, upgrade.id, [...upgraded, ...endings, ...givenUp])
    tx.afterCommit(() => {
      for (const { current: before } of sealed)
        if (stored.has(before.id)) deps.onChanged(before.accountId, before.id, 'TemplateUpgrade')
    })
    return upgraded.length + endings.length + givenUp.length > 0
  })
}

type Decision = { revision: Omit<SealedRevision, 'stored' | 'sealedSecrets'>; message: string | null }

async function decide(deps: UpgradeDeps, { upgrade, judge, items }: Step) {
  const ids = items.map(({ workflowId }) => ({ id: workflowId }))
  const workflows = await loadWorkflows(deps.database.system, deps.keyRing, ids)
  const opened = items.map(async ({ workflowId, accountId, sealedChoices }) => {
    const key = { upgradeId: upgrade.id, workflowId, accountId }
    return [workflowId, await openChoices(deps.keyRing, key, sealedChoices)] as const
  })
  const choices = new Map(await Promise.all(opened))
  const judged = await judge.judgeAll([...workflows.values()], (id) => choices.get(id) ?? noChoices)
  const revisions: Decision[] = []
  const endings: Ending[] = []
  for (const item of items) {
    const [workflow, judgement] = [workflows.get(item.workflowId), judged.get(item.workflowId)]
    const end = (outcome: Ending['outcome'], message: string | null) =>
      endings.push({ ...untouched(item), outcome, message })
    const stale = workflow && describeStale(workflow, choices.get(item.workflowId) ?? noChoices)
    if (!workflow || !judgement) end('skipped', 'The workflow has been deleted.')
    else if (workflow.state === 'archived') end('skipped', 'The workflow is archived.')
    else if (judgement.outcome === 'upToDate') end('upToDate', describeJudgement(judgement))
    else if (stale) end('conflict', stale)
    else if (judgement.outcome !== 'clean') end(judgement.outcome, describeJudgement(judgement))
    else {
      const revision = {
        current: workflow,
        next: judgement.next,
        templateVersion: upgrade.toVersion,
        baseDigest: upgrade.baseDigest,
        reason: 'Upgraded' as const,
        createdBy: upgrade.startedBy,
        actor: actorFor(upgrade, workflow.accountId),
      }
      revisions.push({ revision, message: describeJudgement(judgement) })
    }
  }
  return { revisions, endings }
}

/** Workflows whose recorded runs would fail are left alone. */
async function findBroken(
  deps: UpgradeDeps,
  { replayRuns }: Upgrade,
  decisions: readonly Decision[],
  signal: AbortSignal,
): Promise<Ending[]> {
  if (replayRuns === 0) return []
  const endings = decisions.map(async ({ revision: { current, next } }): Promise<Ending[]> => {
    const { id: workflowId, accountId } = current
    const broken = await deps.findBrokenRun({ accountId, workflowId, definition: next, lastRuns: replayRuns, signal })
    if (!broken) return []
    return [{ ...untouched({ workflowId }), outcome: 'conflict', message: describeBroken(broken) }]
  })
  return (await Promise.all(endings)).flat()
}

function untouched({ workflowId }: { workflowId: string }) {
  return { workflowId, revisionBefore: null, revisionAfter: null, isWatched: false }
}
