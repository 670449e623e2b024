import type { UpgradeOutcome } from '@patchbay/contract'
import { type Follower, loadWorkflows, type OpenWorkflow } from '../../workflows/index.ts'
import { describeJudgement } from '../judge/describe.ts'
import { Judge, type Judgement } from '../judge/judge.ts'
import type { JudgeDeps } from '../ports.ts'
import { type Choices, noChoices } from '../target/choices.ts'
import { refuse, type Target } from '../target/target.ts'

export type PlannedItem = {
  workflowId: string
  accountId: string
  outcome: UpgradeOutcome
  message: string | null
  revisionBefore: number
}

type Plan = {
  chosen: readonly Follower[]
  choices: ReadonlyMap<string, Choices>
  /** Workflows that somebody named are in the list whatever becomes of them; of the others only those that can be upgraded. */
  areNamed: boolean
}

const loadedAtOnce = 50

/** Refuses resolutions and values that do not fit, as long as the workflow is still the one that they were made for. */
export async function planItems(deps: JudgeDeps, target: Target, plan: Plan): Promise<PlannedItem[]> {
  const db = deps.database.system
  const judge = new Judge(deps, db, target)
  const planned: PlannedItem[] = []
  for (let from = 0; from < plan.chosen.length; from += loadedAtOnce) {
    const some = plan.chosen.slice(from, from + loadedAtOnce)
    const workflows = await loadWorkflows(db, deps.keyRing, some)
    const choicesOf = (id: string) => plan.choices.get(id) ?? noChoices
    const judged = await judge.judgeAll([...workflows.values()], choicesOf)
    for (const { id } of some) {
      const [workflow, judgement] = [workflows.get(id), judged.get(id)]
      const item = workflow && judgement && planItem(workflow, judgement, choicesOf(id))
      if (item && (plan.areNamed || plan.choices.has(id) || item.outcome === 'pending')) planned.push(item)
    }
  }
  return planned
}

function planItem(workflow: OpenWorkflow, judgement: Judgement, choices: Choices): PlannedItem {
  const key = { workflowId: workflow.id, accountId: workflow.accountId, revisionBefore: workflow.revision }
  if (workflow.state === 'archived') return { ...key, outcome: 'skipped', message: 'The workflow is archived.' }
  const stale = describeStale(workflow, choices)
  if (stale) return { ...key, outcome: 'conflict', message: stale }
  if (judgement.unused.length > 0) {
    const [blockId, field] = (judgement.unused[0] as string).split(' ')
    throw refuse(
      `Workflow ${workflow.id} has no conflict in the field ${field} of block ${blockId} that a resolution could decide.`,
    )
  }
  if (judgement.refusedValues.length > 0) throw refuse(`Workflow ${workflow.id}: ${judgement.refusedValues.join(' ')}`)
  if (judgement.outcome === 'clean') return { ...key, outcome: 'pending', message: null }
  return { ...key, outcome: judgement.outcome, message: describeJudgement(judgement) }
}

/** Undefined when every resolution was made for the workflow as it is. */
export function describeStale(workflow: OpenWorkflow, { resolutions }: Choices): string | undefined {
  const stale = resolutions.find(({ revision }) => revision !== workflow.revision)
  if (!stale) return undefined
  return `The resolutions were made for revision ${stale.revision}, but the workflow is at revision ${workflow.revision}. Preview it again.`
}
