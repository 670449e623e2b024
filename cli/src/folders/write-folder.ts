// A portable workflow as files: workflow.yaml, and a script per block. Tests are the author's own and never touched.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Portable } from './portable.ts'
import { writeAll } from './write-files.ts'

/** Returns how many files changed. Scripts of blocks that are gone go too. */
export function writeFolder(folder: string, workflow: Portable): number {
  // Scripts first: a folder whose workflow.yaml names a script always has it.
  const scripts = workflow.blocks.map(({ key, script }) => [join(folder, `blocks/${key}.js`), script] as const)
  let written = writeAll([...scripts, [join(folder, 'workflow.yaml'), renderWorkflow(workflow)]])
  const wanted = new Set(workflow.blocks.map(({ key }) => `${key}.js`))
  const blocksFolder = join(folder, 'blocks')
  for (const file of existsSync(blocksFolder) ? readdirSync(blocksFolder) : []) {
    if (file.endsWith('.js') && !wanted.has(file)) {
      rmSync(join(blocksFolder, file))
      written++
    }
  }
  return written
}

export function renderWorkflow({ blocks, recordCallBodies, description, ...rest }: Portable): string {
  const { name, template, applications, variables, timeoutSeconds } = rest
  const isEmpty = (value: object) => Object.keys(value).length === 0
  return stringify(
    {
      name,
      ...(description === '' ? {} : { description }),
      ...(template ? { template } : {}),
      ...(isEmpty(applications) ? {} : { applications }),
      ...(isEmpty(variables) ? {} : { variables }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(recordCallBodies ? { recordCallBodies } : {}),
      blocks: blocks.map(
        ({ key, name: blockName, template: blockTemplate, application, dataSources, variables: bound }) => ({
          name: blockName,
          script: `blocks/${key}.js`,
          ...(blockTemplate === undefined ? {} : { template: blockTemplate }),
          ...(application === undefined ? {} : { application }),
          ...(dataSources.length === 0 ? {} : { dataSources }),
          ...(isEmpty(bound) ? {} : { variables: bound }),
        }),
      ),
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
}
