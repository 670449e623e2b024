import { type ChainBlock, nameBlock } from '../../engine/chain/chain.ts'
import type { Problem } from '../../engine/problem.ts'
import type { CheckScript } from '../ports.ts'

/** Sources that compiled; a request that has to start over does not compile them again. */
export type CheckedScripts = Set<string>

/** Scripts that are `trusted` were compiled when they came in. */
export async function checkScripts(
  checkScript: CheckScript,
  chain: readonly ChainBlock[],
  trusted: ReadonlySet<string>,
  checked: CheckedScripts,
): Promise<Problem[]> {
  const blocks = chain.filter(({ script }) => !trusted.has(script) && !checked.has(script))
  const sources = [...new Set(blocks.map(({ script }) => script))]
  const results = new Map(
    await Promise.all(sources.map(async (source) => [source, await checkScript(source)] as const)),
  )
  return blocks.flatMap((block) => {
    const result = results.get(block.script)
    if (!result || result.ok) {
      checked.add(block.script)
      return []
    }
    const message = `The script of block ${nameBlock(block)} does not compile (line ${result.line}, column ${result.column}): ${endSentence(result.message)}`
    return [{ message, blocks: [block.uniqueBlockId] }]
  })
}

function endSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
