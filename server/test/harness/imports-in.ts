// Every module that a source text names: imports and re-exports, of types too, imports at run time, and programs and threads started by their URL.
import { parseSync, Visitor } from 'rolldown/utils'

/** What `referencesIn` gives for a part of a path that only running the program would tell. */
export const computed = '*'

type Node = { type: string }
type Source = { source: Node | null }

/** Specifiers as another file would import them: a file named by its URL begins with a dot as well. */
export function importsIn(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found = new Set<string>()
  const note = ({ source }: Source): void => {
    if (source) found.add(textOf(source))
  }
  const noteUrl = (path: Node | undefined): void => {
    const specifier = textOf(path)
    if (!/^[a-z]+:/.test(specifier)) found.add(/^[.*]/.test(specifier) ? specifier : `./${specifier}`)
  }
  new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: note,
    NewExpression: ({ callee, arguments: [path, base] }) => {
      if (nameOf(callee) === 'URL' && nameOf(base) === 'import.meta.url') noteUrl(path)
    },
    CallExpression: ({ callee, arguments: [path] }) => {
      if (nameOf(callee) === 'import.meta.resolve') found.add(textOf(path))
    },
  }).visit(program)
  return [...found]
}

/** A literal or template as text, with `computed` for whatever is neither. */
function textOf(node: Node | undefined): string {
  const { value, quasis } = (node ?? {}) as { value?: unknown; quasis?: { value: { cooked: string | null } }[] }
  if (quasis) return quasis.map((quasi) => quasi.value.cooked ?? '').join(computed)
  return typeof value === 'string' ? value : computed
}

/** `URL`, `import.meta.url`: names with dots; undefined for every other expression. */
function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier') return (node as Node & { name: string }).name
  if (node?.type === 'MetaProperty') return 'import.meta'
  if (node?.type !== 'MemberExpression') return undefined
  const { object, property } = node as Node & { object: Node; property: Node }
  return `${nameOf(object)}.${nameOf(property)}`
}
