import { type ChainBlock, nameBlock } from '../../engine/chain/chain.ts'
import { listExpressions, scriptsToCheck } from '../../engine/chain/expressions.ts'
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

/** Expressions that a trusted block has were compiled when they came in. */
export async function checkExpressions(
  checkScript: CheckScript,
  chain: readonly ChainBlock[],
  trusted: readonly ChainBlock[],
): Promise<Problem[]> {
  const known = new Set(trusted.flatMap((block) => listExpressions(block).map(({ source }) => source)))
  const found = await Promise.all(
    chain.map(async (block) => {
      const open = listExpressions(block).filter(({ source }) => !known.has(source))
      return Promise.all(
        open.map(async ({ field, source }): Promise<Problem[]> => {
          const mistake = await findMistake(checkScript, source)
          if (mistake === undefined) return []
          const message = `The ${field} of block ${nameBlock(block)} does not compile: ${endSentence(mistake)}`
          return [{ message }]
        }),
      )
    }),
  )
  return found.flat(2)
}

async function findMistake(checkScript: CheckScript, expression: string): Promise<string | undefined> {
  const checks = await Promise.all(scriptsToCheck(expression).map((script) => checkScript(script)))
  const failed = checks.find((check) => !check.ok)
  return failed?.ok === false ? failed.message : undefined
}

function endSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
