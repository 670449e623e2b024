// Every function of a source text, with its size. The compiler has no parser to call any more; the bundler has.
import { parseSync, Visitor } from 'rolldown/utils'

export type FunctionSize = { line: number; lines: number; parameters: number }

type FunctionNode = { start: number; end: number; params: readonly unknown[] }

export function functionsIn(file: string, text: string): FunctionSize[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found: FunctionSize[] = []
  const lineAt = lineCounter(text)
  const note = ({ start, end, params }: FunctionNode): void => {
    const line = lineAt(start)
    found.push({ line, lines: lineAt(end) - line + 1, parameters: params.length })
  }
  new Visitor({
    FunctionDeclaration: note,
    // Methods and constructors as well.
    FunctionExpression: note,
    ArrowFunctionExpression: note,
    TSDeclareFunction: note,
    TSEmptyBodyFunctionExpression: note,
    TSFunctionType: note,
    TSConstructorType: note,
    TSMethodSignature: note,
    TSCallSignatureDeclaration: note,
    TSConstructSignatureDeclaration: note,
  }).visit(program)
  return found
}

function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    const after = ends.findIndex((end) => end >= offset)
    return (after === -1 ? ends.length : after) + 1
  }
}
