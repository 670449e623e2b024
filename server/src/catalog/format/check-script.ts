import { Script } from 'node:vm'

const AsyncFunction = (async () => {}).constructor as FunctionConstructor

export type ScriptMistake = { line: number; message: string }

/**
 * Compiles without running. The function constructor parses the body on its own, so a script cannot pass by closing
 * the function and opening another; the wrapped compilation after it only serves to learn the line.
 */
export function findScriptMistake(body: string, parameters: string[] = [], isAsync = true): ScriptMistake | null {
  try {
    if (isAsync) new AsyncFunction(...parameters, body)
    else new Function(...parameters, body)
    return null
  } catch (error) {
    const message = (error as Error).message
    return { line: lineOfMistake(body, parameters, isAsync), message }
  }
}

function lineOfMistake(body: string, parameters: string[], isAsync: boolean): number {
  const lines = body.split('\n').length
  try {
    new Script(`(${isAsync ? 'async ' : ''}function (${parameters.join(', ')}) {\n${body}\n})`, {
      filename: 'script.js',
      lineOffset: -1,
    })
  } catch (error) {
    const found = /^script\.js:(\d+)/.exec((error as Error).stack ?? '')
    if (found) return Math.min(Math.max(Number(found[1]), 1), lines)
  }
  return 1
}
