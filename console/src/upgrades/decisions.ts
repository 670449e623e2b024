// What a person decided about conflicts and missing values, until the upgrade is started. It outlives a look at another page.
import type { Body } from '../api.ts'
import { createStore, useStore } from '../ui/store.ts'
import type { PreviewItem } from './outcome.tsx'

export type Choice = { take: 'template' | 'customer' } | { take: 'value'; value: string }
type Conflict = PreviewItem['conflicts'][number]

export type Decision = {
  /** The revision that was looked at; the service leaves the workflow alone when there is a newer one. */
  revision: number
  choices: Readonly<Record<string, Choice>>
  variables: Readonly<Record<string, unknown>>
  isComplete: boolean
}

type Decisions = ReadonlyMap<string, Decision>
const decisions = createStore<{ goal: string; byWorkflow: Decisions }>({ goal: '', byWorkflow: new Map() })
const none: Decisions = new Map()

/** Decisions are about one version of one template; those about another one are dropped when something is decided. */
export function useDecisions(goal: string): Decisions {
  const current = useStore(decisions)
  return current.goal === goal ? current.byWorkflow : none
}

export function conflictKey({ uniqueBlockId, field }: Pick<Conflict, 'uniqueBlockId' | 'field'>): string {
  return `${uniqueBlockId} ${field}`
}

export function decide(
  goal: string,
  item: PreviewItem,
  change: { choice?: [string, Choice]; variable?: [string, unknown] },
): void {
  const { byWorkflow } = decisions.get().goal === goal ? decisions.get() : { byWorkflow: none }
  const before = byWorkflow.get(item.workflowId)
  const kept = before?.revision === item.revision ? before : undefined
  const choices = { ...kept?.choices, ...(change.choice && { [change.choice[0]]: change.choice[1] }) }
  const variables = { ...kept?.variables, ...(change.variable && { [change.variable[0]]: change.variable[1] }) }
  const areResolved = item.conflicts.every((conflict) => choices[conflictKey(conflict)] !== undefined)
  const isComplete = areResolved && item.problems.every((problem) => isFilled(problem, variables))
  const next = { revision: item.revision, choices, variables, isComplete }
  decisions.set({ goal, byWorkflow: new Map(byWorkflow).set(item.workflowId, next) })
}

export function forgetDecisions(): void {
  decisions.set({ goal: '', byWorkflow: none })
}

/** The name of the variable that a problem asks for, if it is one that can be given here. */
export function missingVariable(problem: string): string | undefined {
  return /^The required variable "([^"]+)" has no value\.$/.exec(problem)?.[1]
}

function isFilled(problem: string, variables: Decision['variables']): boolean {
  const value = variables[missingVariable(problem) ?? '']
  return value !== undefined && value !== null && value !== ''
}

/** Only complete decisions are sent: half of one would leave the workflow as it is anyway. */
export function toRequest(all: Decisions): Pick<Body<'TemplateUpgrade'>, 'resolutions' | 'values'> {
  const complete = [...all].filter(([, decision]) => decision.isComplete)
  const resolutions = complete.flatMap(([workflowId, { revision, choices }]) =>
    Object.entries(choices).map(([key, choice]) => {
      const [uniqueBlockId = '', field = ''] = key.split(' ')
      return { workflowId, revision, uniqueBlockId, field, ...choice, ...givenValue(field, choice) }
    }),
  )
  const values = complete
    .filter(([, { variables }]) => Object.keys(variables).length > 0)
    .map(([workflowId, { variables }]) => ({ workflowId, variables }))
  return { resolutions, values }
}

/** Data sources are edited as a JSON list. */
function givenValue(field: string, choice: Choice): { value?: unknown } {
  if (choice.take !== 'value') return {}
  return { value: field === 'dataSources' ? JSON.parse(choice.value) : choice.value }
}
