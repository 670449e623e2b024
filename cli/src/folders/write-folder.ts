// A portable workflow as files: workflow.yaml, and a script per block. Tests are the author's own and never touched.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Portable } from './portable.ts'
import { refuseLinks } from './refuse-links.ts'
import { readIfThere, writeAll } from './write-files.ts'
import { writeYaml } from './write-yaml.ts'

/** What a folder is to hold. */
export type FolderFiles = { yaml: string; scripts: ReadonlyMap<string, string> }

/** `local` is what the files say now, if there are any. */
export function renderFolder(folder: string, workflow: Portable, local?: Portable): FolderFiles {
  const there = local && readIfThere(folder, join(folder, 'workflow.yaml'))
  const text = renderWorkflow(workflow)
  // A file that says the same stays as the author wrote it, with its comments and its order.
  const isSame = local !== undefined && renderWorkflow(local) === text
  return {
    yaml: isSame && there !== undefined ? there : commentsAtTop(there) + text,
    scripts: new Map(workflow.blocks.map(({ key, script }) => [`blocks/${key}.js`, script])),
  }
}

/**
 * Returns how many files changed. Scripts of blocks that are gone go too, but only those that `written` names: whatever else lies there is the
 * author's.
 */
export function writeFolder(folder: string, { yaml, scripts }: FolderFiles, written: Iterable<string>): number {
  // Scripts first: a folder whose workflow.yaml names a script always has it.
  const files = [...scripts, ['workflow.yaml', yaml] as const]
  let changed = writeAll(
    folder,
    files.map(([path, text]) => [join(folder, path), text]),
  )
  for (const path of written) {
    const place = join(folder, path)
    if (scripts.has(path) || !existsSync(place)) continue
    refuseLinks(folder, place)
    rmSync(place)
    changed++
  }
  return changed
}

/** For example the one that names the schema for editors. */
function commentsAtTop(yaml: string | undefined): string {
  return yaml?.match(/^(#.*\n)*/)?.[0] ?? ''
}

function renderWorkflow({ blocks, recordCallBodies, description, ...rest }: Portable): string {
  const { name, template, applications, variables, timeoutSeconds } = rest
  const isEmpty = (value: object) => Object.keys(value).length === 0
  return writeYaml({
    name,
    ...(description === '' ? {} : { description }),
    ...(template ? { template } : {}),
    ...(isEmpty(applications) ? {} : { applications }),
    ...(isEmpty(variables) ? {} : { variables }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(recordCallBodies ? { recordCallBodies } : {}),
    blocks: blocks.map(
      ({
        key,
        name: blockName,
        script: _,
        template: blockTemplate,
        application,
        dataSources,
        variables: bound,
        ...flow
      }) => ({
        name: blockName,
        script: `blocks/${key}.js`,
        ...(blockTemplate === undefined ? {} : { template: blockTemplate }),
        ...(application === undefined ? {} : { application }),
        ...(dataSources.length === 0 ? {} : { dataSources }),
        ...(isEmpty(bound) ? {} : { variables: bound }),
        ...flow,
      }),
    ),
  })
}
