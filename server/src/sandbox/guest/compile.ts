import type ivm from 'isolated-vm'

export type BodyCheck = (source: string, parameters: string, isAsync: boolean) => boolean

/**
 * Tells whether a text is a function body by itself. The constructors of functions parse body and parameters on their own,
 * so a text like `}); more(); (function () {` is refused. Nothing of the text is executed.
 */
export function createBodyCheck(isolate: ivm.Isolate): BodyCheck {
  const context = isolate.createContextSync()
  return (source, parameters, isAsync) => {
    try {
      context.evalClosureSync('($0 ? (async () => {}).constructor : Function)($1, $2)', [isAsync, parameters, source])
      return true
    } catch {
      return false
    }
  }
}

export type SyntaxFault = { message: string; line: number; column: number }

/** Texts around the body, each to be closed in another way: a body that closes its function early fits at most some of them. */
const wrappings = [
  ['(async function () {\n', '\n})'],
  ['[async function () {\n', '\n}]'],
  ['async function script() {\n', '\n}'],
  ['(async () => {\n', '\n})'],
] as const

/**
 * Says where the fault is, in lines and columns of the text itself. It only compiles and never runs, so it does not matter
 * what a text that closes its function early contains.
 */
export function locateSyntaxFault(isolate: ivm.Isolate, source: string): SyntaxFault {
  for (const [before, after] of wrappings) {
    try {
      isolate.compileScriptSync(before + source + after, { filename: 'script', lineOffset: -1 }).release()
    } catch (error) {
      return describeFault(error instanceof Error ? error.message : '', source)
    }
  }
  return { message: 'The script closes a brace that it did not open.', line: 1, column: 1 }
}

function describeFault(text: string, source: string): SyntaxFault {
  const [, message = text, lineText = '1', columnText = '1'] = /^([\s\S]*) \[script:(\d+):(\d+)\]$/.exec(text) ?? []
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
  const line = Math.max(1, Number(lineText))
  // A fault noticed only at the closing brace that was added here belongs to the end of the script.
  if (line > lines.length) {
    const isClosedEarly = message === "Unexpected token '}'"
    return {
      message: isClosedEarly
        ? 'The script closes a brace that it did not open.'
        : 'The script ends unexpectedly: a bracket, string or comment is not closed.',
      line: lines.length,
      column: (lines.at(-1) ?? '').length + 1,
    }
  }
  return { message, line, column: Number(columnText) }
}
