import { setImmediate } from 'node:timers/promises'
import { type PreviewOutcome, previewOutcomes, readPage } from '@patchbay/contract'
import { type Principal, reachOf } from '../../access/index.ts'
import { compareBlocks } from '../../engine/compare/difference.ts'
import { invalid } from '../../lib/app-error.ts'
import { type Follower, hideSecrets, loadWorkflows, maskDefinition, type OpenWorkflow } from '../../workflows/index.ts'
import { describeBroken } from '../judge/describe.ts'
import { Judge, type Judgement } from '../judge/judge.ts'
import { describeNeeds } from '../judge/needs.ts'
import type { JudgeDeps, UpgradeDeps } from '../ports.ts'
import { chooseWorkflows } from '../target/choose-workflows.ts'
import { findTarget, type Target } from '../target/target.ts'

type Given = {
  workflowTemplateId: string
  toVersion?: string
  workflowIds?: string[]
  outcome?: PreviewOutcome
  replayRuns?: number
  page?: number
  size?: number
}

const loadedAtOnce = 50
const replayedAtOnce = 5
/** Replaying takes as long as the scripts do, and somebody waits for the answer. */
const replayedMax = 200

type PreviewDeps = JudgeDeps & Pick<UpgradeDeps, 'findBrokenRun'>
/** `broken`: why a recorded run would fail, where it was replayed. */
type Judged = { workflow: OpenWorkflow; judgement: Judgement; broken: string | undefined }

export async function previewUpgrade(deps: PreviewDeps, principal: Principal, given: Given) {
  const { page, size } = readPage(given)
  const { outcome } = given
  const target = await findTarget(deps.catalog, principal.account.organizationId, given)
  const db = deps.database.system
  const chosen = await chooseWorkflows(db, reachOf(principal, true), target, given.workflowIds)
  const active = chosen.filter(({ state }) => state !== 'archived')
  const { replayRuns = 0 } = given
  if (replayRuns > 0 && active.length > replayedMax)
    throw invalid(`With replayRuns, a preview covers at most ${replayedMax} workflows. Name them in workflowIds.`)
  const judge = new Judge(deps, db, target)
  const counts = Object.fromEntries(previewOutcomes.map((outcome) => [outcome, 0])) as Record<PreviewOutcome, number>
  const items: (ReturnType<typeof toItem> & Pick<Follower, 'accountName' | 'accountEmail'>)[] = []
  let total = 0
  const load = (from: number) => loadWorkflows(db, deps.keyRing, active.slice(from, from + loadedAtOnce))
  let loading = load(0)
  for (let from = 0; from < active.length; from += loadedAtOnce) {
    const ids = active.slice(from, from + loadedAtOnce)
    const workflows = await loading
    // The database reads the next ones while these are judged.
    loading = load(from + loadedAtOnce)
    loading.catch(() => {})
    const judged = await judge.judgeAll([...workflows.values()])
    const broken = await findBroken(deps, replayRuns, [...workflows.values()], judged)
    for (const { id, accountName, accountEmail } of ids) {
      const [workflow, judgement] = [workflows.get(id), judged.get(id)]
      // Deleted in this moment.
      if (!workflow || !judgement) continue
      const found: Judged = { workflow, judgement, broken: broken.get(id) }
      counts[outcomeOf(found)]++
      if (outcome !== undefined && outcomeOf(found) !== outcome) continue
      const place = total++
      if (place < page * size || place >= (page + 1) * size) continue
      items.push({ ...toItem(found, target), accountName, accountEmail })
    }
    // Other requests have their turn between two batches.
    await setImmediate()
  }
  return { items, total, counts }
}

/** By id, why the replay of a run fails that was Ready. Only what would be changed as it is need be tried. */
async function findBroken(
  deps: PreviewDeps,
  lastRuns: number,
  workflows: readonly OpenWorkflow[],
  judged: ReadonlyMap<string, Judgement>,
): Promise<Map<string, string>> {
  const broken = new Map<string, string>()
  if (lastRuns === 0) return broken
  const { signal } = new AbortController()
  const clean = workflows.filter(({ id }) => judged.get(id)?.outcome === 'clean')
  for (let from = 0; from < clean.length; from += replayedAtOnce) {
    const those = clean.slice(from, from + replayedAtOnce).map(async ({ id: workflowId, accountId }) => {
      const definition = (judged.get(workflowId) as Judgement).next
      const found = await deps.findBrokenRun({ accountId, workflowId, definition, lastRuns, signal })
      if (found) broken.set(workflowId, describeBroken(found))
    })
    await Promise.all(those)
  }
  return broken
}

function outcomeOf({ judgement, broken }: Judged): PreviewOutcome {
  return broken === undefined ? judgement.outcome : 'conflict'
}

function toItem({ workflow, judgement, broken }: Judged, target: Target) {
  const changes = compareBlocks(hideSecrets(workflow.definition).chain, hideSecrets(judgement.next).chain)
  return {
    workflowId: workflow.id,
    accountId: workflow.accountId,
    name: workflow.definition.name,
    revision: workflow.revision,
    fromVersion: workflow.templateVersion,
    toVersion: target.version,
    outcome: outcomeOf({ workflow, judgement, broken }),
    message: broken ?? null,
    // Secrets become stars on the way through JSON.
    changes: JSON.parse(JSON.stringify(changes)) as typeof changes,
    conflicts: showConflicts(workflow, judgement, target),
    problems: [...judgement.problems.map(({ message }) => message), ...(broken === undefined ? [] : [broken])],
    needs: describeNeeds(judgement.problems, judgement.next),
    notes: [...judgement.notes],
  }
}

/** A conflict about a whole block shows its variables, so passwords among them are masked. */
function showConflicts({ definition }: OpenWorkflow, { conflicts, base }: Judgement, { theirs }: Target) {
  if (!conflicts.some(({ field }) => field === 'block')) return [...conflicts]
  const masked = [base, definition, theirs].map((side) => side && maskDefinition(side).chain)
  return conflicts.map((conflict) => {
    if (conflict.field !== 'block') return conflict
    const [was, mine, yours] = masked.map(
      (chain) => chain?.find(({ uniqueBlockId }) => uniqueBlockId === conflict.uniqueBlockId) ?? null,
    )
    return { ...conflict, base: was, ours: mine, theirs: yours }
  })
}
