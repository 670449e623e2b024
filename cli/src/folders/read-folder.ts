// The files of a workflow, read and checked. Everything wrong is said with its place, and before anything is sent.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Script } from 'node:vm'
import { Failure } from '../failure.ts'
import { checkShape } from './check-shape.ts'
import type { Portable, PortableBinding, PortableFlow, PortableVariable } from './portable.ts'
import { readYaml, type YamlFile } from './read-yaml.ts'
import { projectOf, refuseLinks } from './refuse-links.ts'
import { workflowSchema } from './workflow-schema.ts'
import { readIfThere } from './write-files.ts'

export type WorkflowFolder = { folder: string; workflow: Portable }

const depthMax = 4

/** The folder itself if it holds a workflow, else every folder below that does. */
export function findFolders(root: string, depth = 0): string[] {
  if (existsSync(join(root, 'workflow.yaml'))) return [root]
  if (depth === depthMax || !existsSync(root) || !statSync(root).isDirectory()) return []
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => findFolders(join(root, entry.name), depth + 1))
}

export function readFolders(cwd: string, given: readonly string[]): WorkflowFolder[] {
  const roots = given.length === 0 ? [cwd] : given.map((path) => resolve(cwd, path))
  const folders = roots.flatMap((root) => {
    refuseLinks(projectOf(cwd, root), root)
    const found = findFolders(root)
    if (found.length === 0) throw new Failure(`${relative(cwd, root) || 'This folder'} contains no workflow.yaml.`)
    return found
  })
  const read = [...new Set(folders)].map((folder) => ({ folder, workflow: readFolder(folder, cwd) }))
  const byName = new Map<string, string>()
  for (const { folder, workflow } of read) {
    const other = byName.get(workflow.name)
    if (other !== undefined) {
      throw new Failure(
        `${relative(cwd, other)} and ${relative(cwd, folder)} both contain a workflow named "${workflow.name}". Rename one.`,
      )
    }
    byName.set(workflow.name, folder)
  }
  return read
}

type BlockOfFile = {
  name: string
  script: string
  template?: string
  application?: string
  dataSources?: string[]
  variables?: Record<string, PortableBinding>
} & PortableFlow
type FileContent = Omit<Partial<Portable>, 'blocks'> & {
  name: string
  variables?: Record<string, PortableVariable>
  blocks: BlockOfFile[]
}

export function readFolder(folder: string, cwd: string): Portable {
  const path = join(folder, 'workflow.yaml')
  refuseLinks(folder, path)
  return parseWorkflow(relative(cwd, path), readFileSync(path, 'utf8'), (script) =>
    readIfThere(folder, join(folder, script)),
  )
}

/** `name` is what messages call the file. */
export function parseWorkflow(
  name: string,
  yaml: string,
  readScript: (script: string) => string | undefined,
): Portable {
  const file = readYaml(name, yaml)
  const mismatch = checkShape(workflowSchema, file.value)
  if (mismatch) throw file.wrong(mismatch.path, mismatch.sentence)
  const { blocks, ...content } = file.value as FileContent
  const keys = blocks.map(({ script }) => basename(script, '.js'))
  return {
    ...content,
    description: content.description ?? '',
    applications: content.applications ?? {},
    variables: content.variables ?? {},
    recordCallBodies: content.recordCallBodies ?? false,
    blocks: blocks.map(({ script, dataSources = [], variables = {}, ...block }, index) => {
      checkBlock({ file, index, keys, dataSources, variables })
      const text = readScript(script)
      if (text === undefined) throw file.wrong(['blocks', index, 'script'], `${script} does not exist.`)
      checkScript(join(dirname(name), script), text)
      return { ...block, key: keys[index] as string, script: text, dataSources, variables }
    }),
  }
}

type BlockCheck = {
  file: YamlFile
  index: number
  keys: readonly string[]
  dataSources: readonly string[]
  variables: Record<string, PortableBinding>
}

function checkBlock({ file, index, keys, dataSources, variables }: BlockCheck): void {
  if (keys.indexOf(keys[index] as string) !== index) {
    throw file.wrong(
      ['blocks', index, 'script'],
      `Two blocks use the script ${keys[index]}.js. Give each its own file.`,
    )
  }
  for (const [no, source] of dataSources.entries()) {
    if (!keys.includes(source)) {
      throw file.wrong(
        ['blocks', index, 'dataSources', no],
        `No block "${source}". Expected one of: ${keys.join(', ')}.`,
      )
    }
  }
  for (const [name, bound] of Object.entries(variables)) {
    if (['value', 'env', 'workflow'].filter((way) => way in bound).length !== 1) {
      throw file.wrong(['blocks', index, 'variables', name], `${name} needs exactly one of value, env and workflow.`)
    }
  }
}

/** Compiled as the service does: the body of an async function. */
export function checkScript(file: string, text: string): void {
  try {
    new Script(`(async () => {${text}\n})`, { filename: file })
  } catch (error) {
    const { message, stack = '' } = error as Error
    const line = Number(stack.split('\n', 1)[0]?.match(/:(\d+)$/)?.[1] ?? 1)
    const lines = text.trimEnd().split('\n').length
    // Past the end the compiler stumbles over the function that it was wrapped in, which nobody has written.
    if (line > lines) throw new Failure(`${file}:${lines}: Unexpected end of the script`)
    throw new Failure(`${file}:${line}: ${message}`)
  }
}
