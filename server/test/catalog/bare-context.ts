import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { loadCatalog } from '../../src/catalog/format/load.ts'
import { composeLibrary } from '../../src/sandbox/guest/library.ts'

export const catalogDirectory = join(import.meta.dirname, '../../../catalog')
export const shippedCatalog = await loadCatalog(catalogDirectory)

const library = composeLibrary(
  shippedCatalog.functions.map((item) => ({ ...item, arguments: Object.keys(item.arguments) })),
  () => true,
)

/**
 * A V8 context without anything of Node, as block scripts have it: a function that reaches for a timer, TextEncoder or
 * Buffer fails here too.
 */
export function bareContext(globals: Record<string, unknown> = {}) {
  const context = createContext(Object.assign(Object.create(null), globals))
  runInContext(library, context)
  // The library leaves a maker behind; in the sandbox the bootstrap calls it for the first script that asks for fx.
  runInContext('globalThis.fx = globalThis.fx()', context)
  return context
}

const functionContext = bareContext()

/** Evaluates an expression over `fx` and brings the result back as JSON, as a block's result would be. */
export function evaluate(expression: string): unknown {
  const text = runInContext(`JSON.stringify(${expression})`, functionContext, { timeout: 5000 }) as string | undefined
  return text === undefined ? undefined : JSON.parse(text)
}
