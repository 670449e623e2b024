import { findScriptMistake } from './check-script.ts'
import { type CatalogFile, FunctionHead, type LibraryFunction } from './definition.ts'
import { type Outcome, yamlReader } from './read-yaml.ts'

const readHead = yamlReader(FunctionHead)
const opening = '/*---'
const closing = '---*/'

/** Names that the service itself puts into `fx` and that no library function may take. */
const reservedFunctionNames = ['stopAfterThisBlock']

/** A function's file: a comment that holds its head as YAML, then the body, which sees its arguments by name and `fx`. */
export function parseFunction(file: CatalogFile): Outcome<LibraryFunction> {
  const refuse = (line: number, message: string) => ({ problems: [{ file: file.path, line, message }] })
  const text = file.content.replaceAll('\r\n', '\n')
  const end = text.indexOf(`\n${closing}`)
  if (!text.startsWith(`${opening}\n`) || end < 0) {
    return refuse(1, `A function file must start with a header between "${opening}" and "${closing}".`)
  }
  const read = readHead(file.path, text.slice(opening.length + 1, end + 1), 1)
  if ('problems' in read) return read
  const { value, locate } = read
  if (reservedFunctionNames.includes(value.name)) {
    return refuse(locate(['name']).line, `The name "${value.name}" is reserved.`)
  }
  const script = text.slice(end + closing.length + 1).replace(/^\n/, '')
  const linesBefore = text.slice(0, text.length - script.length).split('\n').length - 1
  const mistake = findScriptMistake(script, Object.keys(value.arguments), value.isAsync)
  if (mistake) return refuse(linesBefore + mistake.line, `The function does not compile: ${mistake.message}.`)
  return { item: { ...value, script, file: file.path }, locate }
}
