// Workflows of the server as folders. A folder that was edited here since is not overwritten without --force.
import { existsSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { Failure } from '../failure.ts'
import type { Connection } from '../session/connect.ts'
import { alignSecrets } from './align-secrets.ts'
import { compare } from './compare.ts'
import { concurrently } from './concurrently.ts'
import { keysOf, type ServiceWorkflow, toPortable } from './from-service.ts'
import { loadNames, type Names } from './names.ts'
import { readersAtOnce } from './plan.ts'
import { digestOf, slugOf, takeFree } from './portable.ts'
import { findFolders, readFolder } from './read-folder.ts'
import { findKnown, knownKeys, remember } from './state.ts'
import { writeFolder } from './write-folder.ts'

export type Pulled = { workflow: string; id: string; folder: string; filesChanged: number }
type Options = { root: string; cwd: string; force: boolean; onRead(count: number): void }

export async function pull(connection: Connection, ids: readonly string[], options: Options): Promise<Pulled[]> {
  const { client } = connection
  const names = await loadNames(client)
  let count = 0
  const workflows = await concurrently(ids, readersAtOnce, async (id) => {
    const workflow = await client.workflow({ params: { id } })
    options.onRead(++count)
    return workflow
  })
  const folders = existsSync(options.root) ? findFolders(options.root) : []
  const folderOf = new Map(
    folders.flatMap((folder) => {
      const known = findKnown(folder, connection)
      return known ? [[known.id, folder] as const] : []
    }),
  )
  const taken = new Set(folders.map((folder) => basename(folder)))
  const targets = workflows.map((workflow) => ({
    workflow,
    folder: folderOf.get(workflow.id) ?? join(options.root, takeFree(slugOf(workflow.name), taken)),
  }))
  const edited = options.force ? [] : targets.filter((target) => isEdited(connection, names, target, options))
  if (edited.length > 0) {
    const places = edited.map(({ folder }) => relative(options.cwd, folder) || '.').join(', ')
    throw new Failure(
      `Changed both here and on the server: ${places}. Push, or pull with --force to overwrite the files.`,
    )
  }
  return targets.map(({ workflow, folder }) => {
    const isThere = existsSync(folder)
    try {
      return write(connection, names, workflow, folder, options)
    } catch (error) {
      // Half a folder would look like a workflow of its own to the next pull.
      if (!isThere) rmSync(folder, { recursive: true, force: true })
      throw error
    }
  })
}

type Target = { workflow: ServiceWorkflow; folder: string }

/** Files may be replaced when they say what the server says, or when only the server has moved on since the last pull or push. */
function isEdited(connection: Connection, names: Names, { workflow, folder }: Target, { cwd }: Options): boolean {
  if (!existsSync(join(folder, 'workflow.yaml'))) return false
  const known = findKnown(folder, connection)
  const local = readFolder(folder, cwd)
  const server = alignSecrets(toPortable(workflow, names, knownKeys(known)), local)
  if (compare(server, local).length === 0) return false
  // At the same revision the difference can only have been made here.
  return known?.revision === workflow.revision || known?.digest !== digestOf(local)
}

function write(
  connection: Connection,
  names: Names,
  workflow: ServiceWorkflow,
  folder: string,
  { cwd }: Options,
): Pulled {
  const known = knownKeys(findKnown(folder, connection))
  const keys = keysOf(workflow, known)
  const portable = toPortable(workflow, names, known)
  const isThere = existsSync(join(folder, 'workflow.yaml'))
  const filesChanged = writeFolder(
    folder,
    isThere ? alignSecrets(portable, readIfValid(folder, cwd) ?? portable) : portable,
  )
  remember(folder, connection, {
    id: workflow.id,
    revision: workflow.revision,
    digest: digestOf(readFolder(folder, cwd)),
    blocks: Object.fromEntries([...keys].map(([id, key]) => [key, id])),
  })
  return { workflow: workflow.name, id: workflow.id, folder: relative(cwd, folder) || '.', filesChanged }
}

/** With --force, broken files are replaced too. */
function readIfValid(folder: string, cwd: string) {
  try {
    return readFolder(folder, cwd)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
