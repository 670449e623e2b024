// YAML with places: whatever is wrong is said with file, line and column.
import { LineCounter, parseDocument } from 'yaml'
import { Failure } from '../failure.ts'

export type YamlFile = {
  value: unknown
  /** A failure at the place of this path, or at the nearest place above it that exists. */
  wrong(path: readonly (string | number)[], sentence: string): Failure
}

export function readYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`
  }
  const [error] = document.errors
  if (error) throw new Failure(`${at(error.pos[0])}: ${error.message}`)
  return {
    value: document.toJS() as unknown,
    wrong(path, sentence) {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined
        if (node?.range) return new Failure(`${at(node.range[0])}: ${sentence}`)
      }
      return new Failure(`${at(0)}: ${sentence}`)
    },
  }
}
