// Expressions are single JavaScript expressions in fields of a block. Whether one compiles is asked as of a script: it is put into two
// functions whose brackets differ, so that a text which closes one of them early does not fit the other.
import type { ChainBlock } from './chain.ts'

export type BlockExpression = { readonly field: string; readonly source: string }

/** Every expression of a block, with the name of its field. */
export function listExpressions(block: ChainBlock): BlockExpression[] {
  const { runWhen, forEach, subWorkflow, wait, retry } = block
  const named: (readonly [string, unknown])[] = [
    ['runWhen', runWhen],
    ['forEach.items', forEach?.items],
    ['forEach.key', forEach?.key],
    ['subWorkflow.input', subWorkflow?.input],
    ['wait.seconds', wait?.seconds],
    ['wait.until', wait?.until],
    ['wait.key', wait?.key],
    ['wait.approval.title', wait?.approval?.title],
    ['wait.approval.message', wait?.approval?.message],
    ['wait.approval.to', wait?.approval?.to],
    ['retry.when', retry?.when],
  ]
  return named.flatMap(([field, source]) => (typeof source === 'string' ? [{ field, source }] : []))
}

/** Scripts that compile exactly when the text is one expression. */
export function scriptsToCheck(expression: string): [string, string] {
  return [`(function () { return (\n${expression}\n) })`, `[function () { return [\n${expression}\n] }]`]
}
