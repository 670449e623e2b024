// The fields of a block that say when it runs, how often, and what its failure means. Absent is "as a plain block"; null is never stored.

import { flowFieldNames } from '@patchbay/contract/client-values'
import { isSameValue } from '../../lib/same-value.ts'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'

export type ForEach = {
  readonly items?: string
  readonly key?: string
  readonly concurrency?: number
  readonly batchSize?: number
  readonly maxFailures?: number | string
  readonly stopAfter?: number
  readonly once?: number
  readonly collect?: 'results' | 'counts'
  readonly sameItemsAs?: string
}

export type Retry = {
  readonly times: number
  readonly firstSeconds?: number
  readonly factor?: number
  readonly maxSeconds?: number
  readonly when?: string
}

export type SubWorkflow = {
  readonly workflowId?: string
  readonly workflowTemplateId?: string
  readonly input?: string
}

export type ApprovalRequest = {
  readonly title: string
  readonly message?: string
  readonly to: string[] | string
  readonly count?: number
  readonly form?: {
    readonly shortName: string
    readonly displayName: string
    readonly type: string
    readonly required: boolean
  }[]
}

export type Wait = {
  readonly seconds?: number | string
  readonly until?: string
  readonly events?: string[]
  readonly key?: string
  readonly approval?: ApprovalRequest
  readonly timeoutHours?: number
  readonly onTimeout?: 'fail' | 'continue'
}

export type FlowFields = {
  readonly runWhen?: string
  readonly needs?: 'all' | 'any' | 'failed'
  readonly forEach?: ForEach
  readonly subWorkflow?: SubWorkflow
  readonly wait?: Wait
  readonly retry?: Retry
  readonly onError?: 'stop' | 'continue'
  readonly timeoutSeconds?: number
}

/** As a request gives them: null takes a field away. */
export type FlowInput = { readonly [Name in keyof FlowFields]?: FlowFields[Name] | null }

/** What the customer of a template may change although the workflow follows it. */
const freeFields: ReadonlySet<string> = new Set(['retry', 'onError', 'timeoutSeconds'])
export const freeInForEach = ['concurrency', 'maxFailures', 'stopAfter'] as const

type Named = { readonly uniqueBlockId: string; readonly blockName: string }

/** The fields of a block with those of a request put over them. `isChanged` tells whether they differ afterwards. */
export function changeFlow(
  block: FlowFields & Named,
  input: FlowInput,
  isBound: boolean,
): Checked<{ fields: FlowFields; isChanged: boolean }> {
  const problems: Problem[] = []
  const fields: Record<string, unknown> = flowOf(block)
  let isChanged = false
  for (const name of flowFieldNames) {
    const given = input[name]
    if (given === undefined || isSameValue(given, block[name] ?? null)) continue
    if (isBound && !mayChange(name, block, given)) {
      problems.push({
        message: `The ${name} of block "${block.blockName}" (${block.uniqueBlockId}) comes from the template. To change it, set unboundFromTemplate to true.`,
      })
      continue
    }
    isChanged = true
    if (given === null) delete fields[name]
    else fields[name] = given
  }
  return problems.length > 0 ? refuse(...problems) : accept({ fields: fields as FlowFields, isChanged })
}

/** Only the fields of this page, those that are set. */
export function flowOf(block: FlowInput): FlowFields {
  const set = flowFieldNames.flatMap((name) => {
    const value = block[name]
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(set) as FlowFields
}

/** As answers show them: null where nothing is said. */
export function toFlowAnswer(block: FlowInput): { [Name in keyof FlowFields]-?: FlowFields[Name] | null } {
  return Object.fromEntries(flowFieldNames.map((name) => [name, block[name] ?? null])) as never
}

function mayChange(name: keyof FlowFields, block: FlowFields, given: unknown): boolean {
  if (freeFields.has(name)) return true
  if (name !== 'forEach' || !block.forEach || given === null) return false
  return isSameValue(structureOf(block.forEach), structureOf(given as ForEach))
}

/** What of it belongs to the structure of the workflow. */
export function structureOf(forEach: ForEach): Omit<ForEach, (typeof freeInForEach)[number]> {
  const { concurrency: _concurrency, maxFailures: _failures, stopAfter: _stop, ...structure } = forEach
  return structure
}
