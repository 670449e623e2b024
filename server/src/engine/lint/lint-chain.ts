// What is allowed and yet hardly meant: each warning names its block.
import type { ChainBlock } from '../chain/chain.ts'
import { findNeverRun, type Reason } from './never-runs.ts'

export function lintChain(chain: readonly ChainBlock[], isFunction: (name: string) => boolean): string[] {
  const reasons = findNeverRun(chain)
  return chain.flatMap((block) => {
    const reason = reasons.get(block.uniqueBlockId)
    return [
      ...(reason ? [tellReason(block, reason)] : []),
      ...(ignoresItem(block) ? [tellItem(block)] : []),
      ...unknownFunctions(block, isFunction).map(
        (name) => `Block "${block.blockName}" calls fx.${name}, which does not exist.`,
      ),
    ]
  })
}

function tellReason({ blockName }: ChainBlock, reason: Reason): string {
  if (reason.kind === 'noFailure')
    return `Block "${blockName}" is a handler that can never run: none of its data sources can fail.`
  const [one, other] = reason.sources
  return `Block "${blockName}" needs all of "${one.blockName}" and "${other.blockName}", which exclude each other, so it never runs. Set needs to any.`
}

function tellItem({ blockName, forEach }: ChainBlock): string {
  const name = (forEach?.batchSize ?? 1) > 1 ? 'items' : 'item'
  return `Block "${blockName}" runs once for each item, but its script never uses ${name}.`
}

/** A word in a comment counts as a use: a warning too many is worse than one too few. */
function ignoresItem({ forEach, script }: ChainBlock): boolean {
  if (!forEach || script.trim() === '') return false
  return !/\b(items?|itemKey|globalThis|eval)\b/.test(script)
}

function unknownFunctions(block: ChainBlock, isFunction: (name: string) => boolean): string[] {
  const { script, runWhen, forEach, retry, wait, subWorkflow } = block
  const expressions = [runWhen, forEach?.items, forEach?.key, retry?.when, wait?.until, wait?.key, subWorkflow?.input]
  const seconds = typeof wait?.seconds === 'string' ? [wait.seconds] : []
  const found = [script, ...seconds, ...expressions].flatMap((source) => (source ? calledFunctions(source) : []))
  return [...new Set(found)].filter((name) => !isFunction(name) && !(name in Object.prototype))
}

/** Called as `fx.name(` or `fx['name'](`; a script with an fx of its own says nothing. */
function calledFunctions(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').replaceAll(/(^|[^:'"`\\])\/\/.*$/gm, '$1')
  if (/\b(?:const|let|var|function)\s+fx\b|[(,]\s*fx\s*[,)=]|\bfx\s*(?:\.\s*[\w$]+\s*)?=[^=]/.test(code)) return []
  const calls = code.matchAll(
    /\bfx\s*(?:\??\.\s*([A-Za-z_$][\w$]*)|\[\s*(['"`])([A-Za-z_$][\w$]*)\2\s*\])\s*(?:\?\.)?\s*\(/g,
  )
  return [...calls].map(([, name, , quoted]) => (name ?? quoted) as string)
}
