/**
 * Turns files into catalogue items, each file on its own: whatever is wrong with one becomes a problem with file and
 * line, and the others go on. What needs several files at once is judged afterwards in `check-catalog.ts`.
 */
import { checkApplication, type Finding } from './check-application.ts'
import { readLogo } from './check-logo.ts'
import { findScriptMistake } from './check-script.ts'
import { checkVariables } from './check-variables.ts'
import {
  type Application,
  ApplicationFile,
  type BlockTemplate,
  BlockTemplateFile,
  type CatalogFile,
  type LibraryFunction,
  type Problem,
  type WorkflowTemplate,
  WorkflowTemplateFile,
} from './definition.ts'
import { parseFunction } from './parse-function.ts'
import { type Locate, type Outcome, type Parsed, yamlReader } from './read-yaml.ts'

export type ParsedFiles = {
  applications: Parsed<Application>[]
  blockTemplates: Parsed<BlockTemplate>[]
  workflowTemplates: Parsed<WorkflowTemplate>[]
  functions: Parsed<LibraryFunction>[]
  /** Ids of published ones that have problems. */
  brokenBlocks: string[]
  problems: Problem[]
}

const readApplication = yamlReader(ApplicationFile)
const readBlock = yamlReader(BlockTemplateFile)
const readWorkflow = yamlReader(WorkflowTemplateFile)

const safePath = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*){0,5}$/

export function parseFiles(files: readonly CatalogFile[]): ParsedFiles {
  const result: ParsedFiles = {
    applications: [],
    blockTemplates: [],
    workflowTemplates: [],
    functions: [],
    brokenBlocks: [],
    problems: [],
  }
  const byPath = new Map<string, CatalogFile>()
  for (const file of files) {
    const message = !safePath.test(file.path)
      ? 'This path is not allowed in a catalogue.'
      : byPath.has(file.path)
        ? 'This path appears twice.'
        : null
    if (message) result.problems.push({ file: file.path, line: 1, message })
    else byPath.set(file.path, file)
  }
  const used = new Set<string>()
  for (const file of [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (/^applications\/[^/]+\/application\.ya?ml$/.test(file.path)) {
      result.problems.push(...take(result.applications, parseApplication(file, byPath, used)))
    } else if (/^(applications\/[^/]+\/)?blocks\/[^/]+\.ya?ml$/.test(file.path)) {
      const block = parseBlock(file, byPath, used)
      if ('problems' in block && block.brokenId !== undefined) result.brokenBlocks.push(block.brokenId)
      result.problems.push(...take(result.blockTemplates, block))
    } else if (/^workflows\/[^/]+\.ya?ml$/.test(file.path)) {
      result.problems.push(...take(result.workflowTemplates, parseWorkflow(file)))
    } else if (/^functions\/[^/]+\.js$/.test(file.path)) {
      result.problems.push(...take(result.functions, parseFunction(file)))
    } else if (!/\.(md|js|svg|png)$/.test(file.path)) {
      result.problems.push({ file: file.path, line: 1, message: 'Unexpected path: no catalogue file belongs here.' })
    }
  }
  for (const path of byPath.keys()) {
    if (/^(applications|blocks)\/.*\.(js|svg|png)$/.test(path) && !used.has(path)) {
      result.problems.push({ file: path, line: 1, message: 'No definition uses this file.' })
    }
  }
  return result
}

function take<T>(list: Parsed<T>[], outcome: Outcome<T>): Problem[] {
  if ('problems' in outcome) return outcome.problems
  list.push(outcome)
  return []
}

function toProblems(file: string, locate: Locate, findings: readonly Finding[]): Problem[] {
  return findings.map(({ path, message }) => ({ file, ...locate(path), message }))
}

function sibling(file: CatalogFile, name: string): string {
  return `${file.path.slice(0, file.path.lastIndexOf('/') + 1)}${name}`
}

function parseApplication(
  file: CatalogFile,
  byPath: Map<string, CatalogFile>,
  used: Set<string>,
): Outcome<Application> {
  const logoName = /^logo:\s*['"]?([A-Za-z0-9._-]+)/m.exec(file.content)?.[1] ?? 'logo.svg'
  const logoFile = byPath.get(sibling(file, logoName))
  if (logoFile) used.add(logoFile.path)
  const read = readApplication(file.path, file.content)
  if ('problems' in read) return read
  const { value, locate } = read
  const problems = toProblems(file.path, locate, checkApplication(value))
  if (!logoFile && value.logo !== undefined) {
    problems.push({ file: file.path, ...locate(['logo']), message: `The logo "${value.logo}" does not exist.` })
  }
  const logo = logoFile ? readLogo(logoName, Buffer.from(logoFile.content, logoFile.encoding ?? 'utf8')) : null
  if (logo && 'message' in logo) problems.push({ file: logoFile?.path ?? file.path, line: 1, message: logo.message })
  if (problems.length > 0) return { problems }
  return { item: { ...value, logoImage: logo && 'logo' in logo ? logo.logo : null, file: file.path }, locate }
}

/** A draft replaces nothing that templates stand on. */
function publishedId(value: unknown): string | undefined {
  const { id, state } = (value ?? {}) as { id?: unknown; state?: unknown }
  return typeof id === 'string' && state !== 'Draft' ? id : undefined
}

function parseBlock(file: CatalogFile, byPath: Map<string, CatalogFile>, used: Set<string>): Outcome<BlockTemplate> {
  const read = readBlock(file.path, file.content)
  // The script of a broken definition is not "unused" as well: one mistake, one message.
  used.add(file.path.replace(/\.ya?ml$/, '.js'))
  if ('problems' in read) return { problems: read.problems, brokenId: publishedId(read.unfit) }
  const { value, locate } = read
  const problems = toProblems(file.path, locate, [...checkVariables(value.variables), ...checkState(value)])
  const scriptFile = byPath.get(sibling(file, value.script))
  if (scriptFile) used.add(scriptFile.path)
  const mistake = scriptFile ? findScriptMistake(scriptFile.content) : null
  if (!scriptFile) {
    problems.push({ file: file.path, ...locate(['script']), message: `The script "${value.script}" does not exist.` })
  } else if (mistake) {
    problems.push({
      file: scriptFile.path,
      line: mistake.line,
      message: `The script does not compile: ${mistake.message}.`,
    })
  }
  if (problems.length > 0 || !scriptFile) return { problems, brokenId: publishedId(value) }
  return { item: { ...value, script: scriptFile.content, file: file.path }, locate }
}

function parseWorkflow(file: CatalogFile): Outcome<WorkflowTemplate> {
  const read = readWorkflow(file.path, file.content)
  if ('problems' in read) return read
  const { value, locate } = read
  const problems = toProblems(file.path, locate, [...checkVariables(value.variables), ...checkState(value)])
  return problems.length > 0 ? { problems } : { item: { ...value, file: file.path }, locate }
}

function checkState({ state, version }: { state: string; version: string | null }): Finding[] {
  if ((state === 'Draft') === (version === null)) return []
  return [{ path: ['version'], message: 'A draft must have the version null, a published item must have a version.' }]
}
