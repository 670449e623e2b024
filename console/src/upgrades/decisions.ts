// What a person decided about conflicts and missing values, until the upgrade is started. It outlives a look at another page.
import type { Body } from '../api.ts'
import { createStore, useStore } from '../ui/store.ts'
import type { PreviewItem } from './outcome.tsx'

export type Choice = { take: 'template' | 'customer' } | { take: 'value'; value: string }
type Conflict = PreviewItem['conflicts'][number]
export type Need = PreviewItem['needs'][number]

export type Decision = {
  /** The revision that was looked at; the service leaves the workflow alone when there is a newer one. */
  revision: number
  choices: Readonly<Record<string, Choice>>
  /** What was given for what the preview asks for, by its key. */
  given: Readonly<Record<string, unknown>>
  isComplete: boolean
}

type Decisions = ReadonlyMap<string, Decision>
const decisions = createStore<{ goal: string; byWorkflow: Decisions }>({ goal: '', byWorkflow: new Map() })
const none: Decisions = new Map()

/** Decisions are about one version of one template; those about another one are dropped when something is decided. */
export function useDecisions(goal: string): Decisions {
  useStore(decisions)
  return decisionsAbout(goal)
}

export function decisionsAbout(goal: string): Decisions {
  const current = decisions.get()
  return current.goal === goal ? current.byWorkflow : none
}

export function conflictKey({ uniqueBlockId, field }: Pick<Conflict, 'uniqueBlockId' | 'field'>): string {
  return `${uniqueBlockId} ${field}`
}

export function decide(
  goal: string,
  item: PreviewItem,
  change: { choice?: [string, Choice]; given?: [Need, unknown] },
): void {
  const { byWorkflow } = decisions.get().goal === goal ? decisions.get() : { byWorkflow: none }
  const before = byWorkflow.get(item.workflowId)
  const kept = before?.revision === item.revision ? before : undefined
  const choices = { ...kept?.choices, ...(change.choice && { [change.choice[0]]: change.choice[1] }) }
  const given = { ...kept?.given, ...(change.given && { [needKey(change.given[0])]: change.given[1] }) }
  const areResolved = item.conflicts.every((conflict) => choices[conflictKey(conflict)] !== undefined)
  const isComplete = areResolved && item.problems.every((problem) => isSolved(item, problem, given))
  const next = { revision: item.revision, choices, given, isComplete }
  decisions.set({ goal, byWorkflow: new Map(byWorkflow).set(item.workflowId, next) })
}

export function forgetDecisions(): void {
  decisions.set({ goal: '', byWorkflow: none })
}

export function needKey({ kind, name, uniqueBlockId = '' }: Need): string {
  return [kind, uniqueBlockId, name].join(' ')
}

function isSolved({ needs }: PreviewItem, problem: string, given: Decision['given']): boolean {
  return needs.some((need) => need.message === problem && isSet(given[needKey(need)]))
}

function isSet(value: unknown): boolean {
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
    .filter(([, { given }]) => Object.values(given).some(isSet))
    .map(([workflowId, { given }]) => ({ workflowId, ...valuesOf(given) }))
  return { resolutions, values }
}

type Values = NonNullable<Body<'TemplateUpgrade'>['values']>[number]

function valuesOf(given: Decision['given']): Omit<Values, 'workflowId'> {
  const variables: Record<string, unknown> = {}
  const applications: Record<string, string> = {}
  const blocks: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(given)) {
    if (!isSet(value)) continue
    const [kind = '', uniqueBlockId = '', name = ''] = key.split(' ')
    if (kind === 'application') applications[name] = String(value)
    else if (kind === 'variable') variables[name] = value
    else blocks[uniqueBlockId] = { ...blocks[uniqueBlockId], [name]: value }
  }
  return { variables, applications, blocks }
}

/** Data sources are edited as a JSON list. */
function givenValue(field: string, choice: Choice): { value?: unknown } {
  if (choice.take !== 'value') return {}
  return { value: field === 'dataSources' ? JSON.parse(choice.value) : choice.value }
}
