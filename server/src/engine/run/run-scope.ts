import { counted } from '../../lib/counted.ts'
import { type ChainBlock, nameBlock } from '../chain/chain.ts'
import { orderBlocks } from '../chain/graph.ts'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'

/** Block numbers as `RunWorkflow` takes them: `no`, the 1-based position in the chain. */
export type RunRange = { readonly runFromBlock?: number; readonly runTillBlock?: number }

/** Which blocks a run executes and which it takes from an earlier run. */
export type RunScope = {
  /** The blocks to run, in the order in which they would run one after the other. */
  readonly blocks: readonly string[]
  /** The blocks before them, whose stored results stand in. */
  readonly reused: readonly string[]
  /** A partial run is a `Debug` run: it moves no `dateLastRun` and writes no deferred vault value. */
  readonly isPartial: boolean
}

/**
 * The scope of a run over a valid chain. "Before" and "till" are meant in the order of execution, in which every data
 * source stands before its users; where the chain is already in such an order this is the order of `no`.
 *
 * @param storedResults the blocks that have a successful result in the run that this one builds on
 * @param source that run, as a refusal names it
 */
export function scopeRun(
  chain: readonly ChainBlock[],
  range: RunRange,
  storedResults: ReadonlySet<string>,
  source = 'the latest run',
): Checked<RunScope> {
  const order = orderBlocks(chain)
  const { runFromBlock, runTillBlock } = range
  const rangeProblems = [
    ...checkBlockNumber('runFromBlock', runFromBlock, chain.length),
    ...checkBlockNumber('runTillBlock', runTillBlock, chain.length),
  ]
  if (rangeProblems.length > 0) return refuse(...rangeProblems)

  const first = runFromBlock === undefined ? 0 : order.indexOf(chain[runFromBlock - 1]!.uniqueBlockId)
  const last = runTillBlock === undefined ? order.length - 1 : order.indexOf(chain[runTillBlock - 1]!.uniqueBlockId)
  if (first > last && chain.length > 0) {
    return refuse({
      message: `Block ${runTillBlock} (runTillBlock) runs before block ${runFromBlock} (runFromBlock), so no block is left to run.`,
    })
  }

  const reused = order.slice(0, first)
  const missing = chain.filter(
    (block) => reused.includes(block.uniqueBlockId) && !storedResults.has(block.uniqueBlockId),
  )
  if (missing.length > 0) {
    return refuse({
      message: `The run cannot start from block ${runFromBlock}, because ${source} has no result for ${missing.map(nameBlock).join(' and ')}.`,
    })
  }
  return accept({
    blocks: order.slice(first, last + 1),
    reused,
    isPartial: runFromBlock !== undefined || runTillBlock !== undefined,
  })
}

function checkBlockNumber(field: string, no: number | undefined, length: number): Problem[] {
  if (no === undefined || (Number.isInteger(no) && no >= 1 && no <= length)) return []
  return [
    { message: `The field ${field} is ${no}, but this workflow has ${counted(length, 'block')}, numbered from 1.` },
  ]
}
