// Blocks that no run can come to, found from conditions and data sources.
import type { ChainBlock } from '../chain/chain.ts'
import { orderBlocks } from '../chain/graph.ts'
import { conjunctsOf, contradict, isNeverTrue, normalize } from './contradiction.ts'

export type Reason = { kind: 'noFailure' } | { kind: 'excluded'; sources: readonly [ChainBlock, ChainBlock] }

/** Why a block never runs, for those whose own place in the graph is the reason. */
export function findNeverRun(chain: readonly ChainBlock[]): Map<string, Reason> {
  const blocks = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const never = new Set<string>()
  const facts = new Map<string, ReadonlySet<string>>()
  const reasons = new Map<string, Reason>()
  for (const id of orderBlocks(chain)) {
    const block = blocks.get(id)!
    const sources = block.dataSources.flatMap((source) => blocks.get(source) ?? [])
    facts.set(id, factsOf(block, facts))
    const reason = reasonOf(block, sources, { never, facts })
    if (reason) reasons.set(id, reason)
    const isSkipped = block.runWhen !== undefined && isNeverTrue(normalize(block.runWhen))
    if (reason || isSkipped || isWithoutSources(block, sources, never)) never.add(id)
  }
  return reasons
}

type Known = { never: ReadonlySet<string>; facts: ReadonlyMap<string, ReadonlySet<string>> }

function reasonOf(block: ChainBlock, sources: readonly ChainBlock[], { never, facts }: Known): Reason | undefined {
  if (block.needs === 'failed')
    return sources.every((source) => never.has(source.uniqueBlockId) || cannotFail(source))
      ? { kind: 'noFailure' }
      : undefined
  if (block.needs === 'any') return undefined
  for (const [at, one] of sources.entries()) {
    for (const other of sources.slice(at + 1)) {
      const isExcluded = [...facts.get(one.uniqueBlockId)!].some((fact) =>
        [...facts.get(other.uniqueBlockId)!].some((against) => contradict(fact, against)),
      )
      if (isExcluded) return { kind: 'excluded', sources: [one, other] }
    }
  }
  return undefined
}

function isWithoutSources(block: ChainBlock, sources: readonly ChainBlock[], never: ReadonlySet<string>): boolean {
  if (sources.length === 0 || block.needs === 'failed') return false
  const isNever = ({ uniqueBlockId }: ChainBlock) => never.has(uniqueBlockId)
  return block.needs === 'any' ? sources.every(isNever) : sources.some(isNever)
}

/** What holds whenever the block runs. */
function factsOf(block: ChainBlock, facts: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const own = block.runWhen === undefined ? [] : conjunctsOf(normalize(nameSources(block.runWhen, block)))
  const { dataSources, needs } = block
  const follows = needs === 'failed' ? dataSources.length === 1 : needs !== 'any' || dataSources.length === 1
  if (!follows) return new Set(own)
  const before = dataSources.flatMap((source) => [...(facts.get(source) ?? [])])
  const ended = dataSources.map((source) => (needs === 'failed' ? `!ok("${source}")` : `ok("${source}")`))
  return new Set([...before, ...ended, ...own])
}

/** `Datasource[0]` means another block in each block. */
function nameSources(expression: string, { dataSources }: ChainBlock): string {
  return expression.replaceAll(/\bDatasource\s*\[\s*(\d+)\s*\]/g, (whole, no: string) => {
    const source = dataSources[Number(no)]
    return source === undefined ? whole : `Datasource["${source}"]`
  })
}

/** Nothing of it is evaluated or run. */
function cannotFail({ script, runWhen, forEach, subWorkflow, wait }: ChainBlock): boolean {
  return script.trim() === '' && runWhen === undefined && !forEach && !subWorkflow && !wait
}
