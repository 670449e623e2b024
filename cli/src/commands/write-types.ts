import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PatchbayError } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { readFolders, type WorkflowFolder } from '../folders/read-folder.ts'
import { findKnown } from '../folders/state.ts'
import { writeWhole } from '../folders/write-files.ts'
import { describeWorkflow } from '../scripts/workflow-types.ts'
import type { Connection } from '../session/connect.ts'

type Options = { offline?: boolean }

/** Types for editors, per workflow: its variables, its applications, and what its data sources returned last. */
export async function types(context: Context, options: Options, folders: string[]): Promise<undefined> {
  const { terminal, cwd } = context
  const read = readFolders(cwd, folders)
  const connection = options.offline ? undefined : await context.connect()
  const written: string[] = []
  for (const one of read) {
    const results = connection ? await lastResults(connection, one) : new Map<string, unknown>()
    const path = join(one.folder, '.patchbay.d.ts')
    writeWhole(one.folder, path, describeWorkflow(one.workflow, results))
    const settings = join(one.folder, 'jsconfig.json')
    if (!existsSync(settings)) {
      const compilerOptions = { target: 'esnext', module: 'esnext', lib: ['esnext'], noEmit: true }
      writeWhole(
        one.folder,
        settings,
        `${JSON.stringify({ compilerOptions, include: ['blocks/*.js', '.patchbay.d.ts'] }, null, 2)}\n`,
      )
    }
    written.push(relative(cwd, path))
  }
  terminal.result(written, () => written.map((path) => `Wrote ${path}`).join('\n'))
}

/** Results of the newest run, by block key. */
async function lastResults(
  { client, ...place }: Connection,
  { folder, workflow }: WorkflowFolder,
): Promise<Map<string, unknown>> {
  const known = findKnown(folder, place)
  const found = new Map<string, unknown>()
  if (!known) return found
  for (const key of new Set(workflow.blocks.flatMap(({ dataSources }) => dataSources))) {
    const uniqueBlockId = known.blocks[key]
    if (uniqueBlockId === undefined) continue
    try {
      const { success, result } = await client.getBlockResult({
        params: { workflowId: known.id },
        query: { uniqueBlockId },
      })
      if (success) found.set(key, result)
    } catch (error) {
      // The block has not run yet, or the workflow is gone: its result stays untyped.
      if (!(error instanceof PatchbayError && error.status === 404))
        throw new Failure((error as Error).message, 1, error)
    }
  }
  return found
}
