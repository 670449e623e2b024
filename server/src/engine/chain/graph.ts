import type { Problem } from '../problem.ts'
import { nameBlock } from './chain.ts'

/** As much of a block as its place in the graph needs. */
export type GraphBlock = {
  readonly uniqueBlockId: string
  readonly blockName?: string
  readonly dataSources: readonly string[]
}

/** Every reason why these blocks are not a graph that can run; none for a valid chain. */
export function findGraphProblems(chain: readonly GraphBlock[]): Problem[] {
  const problems = [...findDuplicates(chain), ...findUnknownSources(chain)]
  // With duplicate ids a data source does not say which block it means, so a cycle would be guesswork.
  if (problems.length > 0) return problems
  const cycle = findCycle(chain)
  if (cycle.length === 0) return []
  const names = cycle.map(nameBlock).join(' and ')
  const message =
    cycle.length === 1
      ? `Block ${names} is its own data source.`
      : `The data sources of the blocks ${names} form a cycle, so none of them could run first.`
  return [{ message }]
}

/**
 * The order in which the blocks of a valid chain run one after the other: every block after its data sources, and
 * among those that could run next the one that stands first in the chain. A chain whose data sources all stand
 * before their users therefore keeps its own order.
 *
 * Blocks of a cycle, and those that wait for one, are left out: {@link findGraphProblems} names them.
 */
export function orderBlocks(chain: readonly GraphBlock[]): string[] {
  const { waitingFor, users } = linkBlocks(chain)
  const ready: number[] = []
  for (const [position, count] of waitingFor.entries()) if (count === 0) insertDescending(ready, position)
  const order: string[] = []
  for (let position = ready.pop(); position !== undefined; position = ready.pop()) {
    order.push(chain[position]!.uniqueBlockId)
    for (const user of users[position]!) {
      waitingFor[user]!--
      if (waitingFor[user] === 0) insertDescending(ready, user)
    }
  }
  return order
}

function findDuplicates(chain: readonly GraphBlock[]): Problem[] {
  const seen = new Set<string>()
  const reported = new Set<string>()
  for (const { uniqueBlockId } of chain) {
    if (seen.has(uniqueBlockId)) reported.add(uniqueBlockId)
    seen.add(uniqueBlockId)
  }
  return [...reported].map((id) => ({
    message: `The uniqueBlockId ${id} is used by more than one block.`,
  }))
}

function findUnknownSources(chain: readonly GraphBlock[]): Problem[] {
  const known = new Set(chain.map((block) => block.uniqueBlockId))
  return chain.flatMap((block) =>
    [...new Set(block.dataSources)]
      .filter((source) => !known.has(source))
      .map((source) => ({
        message: `Block ${nameBlock(block)} has the data source ${source}, which is not a block of this workflow.`,
      })),
  )
}

/** The blocks of one cycle, in the order in which they wait for each other; empty when there is none. */
function findCycle(chain: readonly GraphBlock[]): GraphBlock[] {
  const ordered = new Set(orderBlocks(chain))
  const stuck = new Map(
    chain.filter((block) => !ordered.has(block.uniqueBlockId)).map((block) => [block.uniqueBlockId, block]),
  )
  // Every stuck block waits for a stuck one, so following them must come back to a block seen before.
  const path: GraphBlock[] = []
  let current = stuck.values().next().value
  while (current) {
    const start = path.indexOf(current)
    if (start >= 0) return path.slice(start)
    path.push(current)
    const next = current.dataSources.find((source) => stuck.has(source))
    current = next === undefined ? undefined : stuck.get(next)
  }
  return []
}

function linkBlocks(chain: readonly GraphBlock[]): { waitingFor: number[]; users: number[][] } {
  const positions = new Map(chain.map((block, position) => [block.uniqueBlockId, position]))
  const users: number[][] = chain.map(() => [])
  const waitingFor = chain.map((block, position) => {
    // A block may read the same source twice; it still waits for it once.
    const sources = new Set(block.dataSources)
    for (const source of sources) {
      const at = positions.get(source)
      if (at !== undefined) users[at]!.push(position)
    }
    return sources.size
  })
  return { waitingFor, users }
}

/** Keeps the ready positions in descending order, so that the first of the chain is popped from the end. */
function insertDescending(positions: number[], position: number): void {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (positions[middle]! > position) low = middle + 1
    else high = middle
  }
  positions.splice(low, 0, position)
}
