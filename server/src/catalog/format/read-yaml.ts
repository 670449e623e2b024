import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isCollection, isPair, LineCounter, type Node, parseDocument } from 'yaml'
import type { Problem } from './definition.ts'
import { explainMismatch } from './explain-mismatch.ts'

type Path = readonly (string | number)[]
/** Turns a place inside the document into the line and column of its file. */
export type Locate = (path: Path, options?: { atKey?: boolean }) => { line: number; column: number }
/** An item with the map back to its file. */
export type Parsed<T> = { item: T; locate: Locate }
/** `brokenId`: of a published item that has problems, where it is known. */
export type Outcome<T> = Parsed<T> | { problems: Problem[]; brokenId?: string | undefined }
export type YamlReader<T> = (
  file: string,
  text: string,
  lineOffset?: number,
) => { value: T; locate: Locate } | { problems: Problem[]; unfit?: unknown }

const problemsMax = 20

export function yamlReader<S extends TSchema>(schema: S): YamlReader<Static<S>> {
  const check = Compile(schema)
  return (file, text, lineOffset = 0) => {
    const lines = new LineCounter()
    const document = parseDocument(text, { lineCounter: lines, version: '1.2', prettyErrors: false })
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset)
      return { line: line + lineOffset, column: col }
    }
    if (document.errors.length > 0) {
      return {
        problems: document.errors.slice(0, problemsMax).map((error) => ({
          file,
          ...at(error.pos[0]),
          message: `This is not valid YAML: ${error.message}.`,
        })),
      }
    }
    const locate: Locate = (path, options) =>
      at(offsetOf(document.contents as Node | null, path, options?.atKey ?? false))
    let value: unknown
    try {
      // The library's own limit on aliases makes a "billion laughs" document an error here.
      value = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      return { problems: [{ file, ...at(0), message: `This is not valid YAML: ${(error as Error).message}.` }] }
    }
    if (check.Check(value)) return { value, locate }
    const mismatches = explainMismatch(schema as Parameters<typeof explainMismatch>[0], value)
    if (mismatches.length === 0) mismatches.push({ path: [], message: 'This does not have the expected form' })
    return {
      unfit: value,
      problems: mismatches.slice(0, problemsMax).map(({ path, message, atKey }) => {
        const container = path.slice(0, -1).join('.')
        const place = container === '' ? '' : ` (in ${container})`
        return { file, ...locate(path, { atKey: atKey ?? false }), message: `${message}${place}.` }
      }),
    }
  }
}

/** Follows the path as far as it exists, so that a missing key is reported at the object that lacks it. */
function offsetOf(root: Node | null, path: Path, atKey: boolean): number {
  let node: Node | null | undefined = root
  let offset = root?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    if (!isCollection(node)) break
    const items: unknown[] = node.items
    const item =
      typeof step === 'number' ? items[step] : items.find((pair) => isPair(pair) && String(pair.key) === step)
    if (item === undefined) break
    if (isPair(item)) {
      const key = item.key as Node | null
      node = item.value as Node | null
      const last = depth === path.length - 1
      offset = ((last && atKey) || isCollection(node) ? key?.range?.[0] : node?.range?.[0]) ?? key?.range?.[0] ?? offset
    } else {
      node = item as Node
      offset = node.range?.[0] ?? offset
    }
  }
  return offset
}
