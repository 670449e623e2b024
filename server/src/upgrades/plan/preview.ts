import { setImmediate } from 'node:timers/promises'
import { type PreviewOutcome, previewOutcomes, readPage } from '@patchbay/contract'
import { type Principal, reachOf } from '../../access/index.ts'
import { compareBlocks } from '../../engine/compare/difference.ts'
import { hideSecrets, loadWorkflows, maskDefinition, type OpenWorkflow } from '../../workflows/index.ts'
import { Judge, type Judgement } from '../judge/judge.ts'
import { describeNeeds } from '../judge/needs.ts'
import type { JudgeDeps } from '../ports.ts'
import { chooseWorkflows } from '../target/choose-workflows.ts'
import { findTarget, type Target } from '../target/target.ts'

type Given = {
  workflowTemplateId: string
  toVersion?: string
  workflowIds?: string[]
  outcome?: PreviewOutcome
  page?: number
  size?: number
}

const loadedAtOnce = 50

export async function previewUpgrade(deps: JudgeDeps, principal: Principal, given: Given) {
  const { page, size } = readPage(given)
  const { outcome } = given
  const target = await findTarget(deps.catalog, principal.account.organizationId, given)
  const db = deps.database.system
  const chosen = await chooseWorkflows(db, reachOf(principal, true), target, given.workflowIds)
  const active = chosen.filter(({ state }) => state !== 'archived')
  const judge = new Judge(deps, db, target)
  const counts = Object.fromEntries(previewOutcomes.map((outcome) => [outcome, 0])) as Record<PreviewOutcome, number>
  const items: (ReturnType<typeof toItem> & { accountEmail: string })[] = []
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
    for (const { id, accountEmail } of ids) {
      const [workflow, judgement] = [workflows.get(id), judged.get(id)]
      // Deleted in this moment.
      if (!workflow || !judgement) continue
      counts[judgement.outcome]++
      if (outcome !== undefined && judgement.outcome !== outcome) continue
      const place = total++
      if (place < page * size || place >= (page + 1) * size) continue
      items.push({ ...toItem(workflow, judgement, target), accountEmail })
    }
    // Other requests have their turn between two batches.
    await setImmediate()
  }
  return { items, total, counts }
}

function toItem(workflow: OpenWorkflow, judgement: Judgement, target: Target) {
  const changes = compareBlocks(hideSecrets(workflow.definition).chain, hideSecrets(judgement.next).chain)
  return {
    workflowId: workflow.id,
    accountId: workflow.accountId,
    name: workflow.definition.name,
    revision: workflow.revision,
    fromVersion: workflow.templateVersion,
    toVersion: target.version,
    outcome: judgement.outcome,
    // Secrets become stars on the way through JSON.
    changes: JSON.parse(JSON.stringify(changes)) as typeof changes,
    conflicts: showConflicts(workflow, judgement, target),
    problems: judgement.problems.map(({ message }) => message),
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
