import type { BodyOf, ExpectationKind, Operations } from '@patchbay/contract'
import { invalid } from '../lib/app-error.ts'

export type GivenExpectation = BodyOf<Operations['ExpectationsUpdate']>['expectations'][number]

export type Expectation = {
  id: string
  accountId: string
  workflowId: string
  kind: ExpectationKind
  uniqueBlockId: string | null
  hours: number | null
  min: number | null
  max: number | null
  isMet: boolean
  lastSeenAt: Date
  hasBeenSeen: boolean
}

const fieldsOf: Record<ExpectationKind, readonly (keyof GivenExpectation)[]> = {
  succeedsWithin: ['hours'],
  receivesWithin: ['hours'],
  itemsBetween: ['uniqueBlockId', 'min', 'max'],
  usual: ['uniqueBlockId'],
}

/** Each kind has its own fields; whatever would be ignored is refused. */
export function checkExpectations(given: readonly GivenExpectation[], blockIds: ReadonlySet<string>): void {
  const keys = new Set<string>()
  for (const [index, one] of given.entries()) {
    const at = `expectations[${index}]`
    const fields = fieldsOf[one.kind]
    for (const name of ['hours', 'uniqueBlockId', 'min', 'max'] as const)
      if (one[name] !== undefined && !fields.includes(name)) throw invalid(`${at}: ${one.kind} takes no ${name}.`)
    if (fields.includes('hours') && one.hours === undefined) throw invalid(`${at}: ${one.kind} needs hours.`)
    if (fields.includes('uniqueBlockId')) {
      if (one.uniqueBlockId === undefined) throw invalid(`${at}: ${one.kind} needs uniqueBlockId.`)
      if (!blockIds.has(one.uniqueBlockId)) throw invalid(`${at}: the workflow has no block ${one.uniqueBlockId}.`)
    }
    if (one.kind === 'itemsBetween') {
      if (one.min === undefined && one.max === undefined) throw invalid(`${at}: itemsBetween needs min or max.`)
      if ((one.min ?? 0) > (one.max ?? Number.POSITIVE_INFINITY)) throw invalid(`${at}: min is greater than max.`)
    }
    const key = `${one.kind} ${one.uniqueBlockId ?? ''}`
    if (keys.has(key)) throw invalid(`${at}: ${one.kind} is given twice${one.uniqueBlockId ? ' for this block' : ''}.`)
    keys.add(key)
  }
}
