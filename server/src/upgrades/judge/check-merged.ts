import type { CheckScript } from '../../workflows/index.ts'

const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** Parsing so much takes about a millisecond. */
const charactersMax = 64 * 1024

/**
 * Thousands of merged scripts, each sent to a script process, would be most of the time that a preview takes. Both sides of a merge have
 * passed that way before, so a short text is parsed right here, by the constructor that also checks imported templates: it parses a body
 * on its own and runs nothing. What is long or does not compile goes to a script process, which has the last word.
 */
export function checkMerged(check: CheckScript): CheckScript {
  return async (source) => (source.length <= charactersMax && compiles(source) ? { ok: true } : check(source))
}

function compiles(source: string): boolean {
  try {
    new AsyncFunction(source)
    return true
  } catch {
    return false
  }
}
