// The list of items of a block, from its expressions.
import type { ListedItem } from '../record/item-store.ts'
import { type Around, runExpression } from './expression.ts'
import { type ItemDeps, type ItemsEnd, noItems, threw } from './item-ends.ts'
import { listBytesMax, listScript, pickItems, readList } from './item-list.ts'

/** `end`: of a block whose list cannot be made. */
export async function makeList(
  deps: ItemDeps,
  around: Around,
): Promise<{ list: readonly ListedItem[] } | { end: ItemsEnd }> {
  const { forEach = {}, blockName } = around.block
  const expression = { what: 'The items', source: '', limits: { resultBytesMax: listBytesMax } }
  const told = await runExpression(deps, around, expression, listScript(forEach))
  if (!told.ok) {
    const isInterrupted = told.failure.kind === 'aborted' || told.failure.kind === 'stopped'
    if (isInterrupted) return { end: { kind: 'interrupted', isStopped: false } }
    return { end: { kind: 'ended', outcome: told.failure, counts: noItems } }
  }
  const all = readList(blockName, told.value)
  const read = 'problem' in all ? all : pickItems(blockName, all.list, around.state.run.partial?.items)
  if ('problem' in read) return { end: { kind: 'ended', outcome: threw(read.problem), counts: noItems } }
  return read
}
