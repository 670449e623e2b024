// Workflows of the server as folders. A folder that was edited here since is not overwritten without --force.
import { existsSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { Failure } from '../failure.ts'
import type { Connection } from '../session/connect.ts'
import type { ListedWorkflow } from '../session/find-workflow.ts'
import { alignSecrets } from './align-secrets.ts'
import { compare } from './compare.ts'
import { concurrently } from './concurrently.ts'
import { keysOf, type ServiceWorkflow, toPortable } from './from-service.ts'
import { loadNames, type Names } from './names.ts'
import { readersAtOnce } from './plan.ts'
import { digestOf, type Portable, slugOf, takeFree } from './portable.ts'
import { findFolders, parseWorkflow, readFolder } from './read-folder.ts'
import { projectOf, refuseLinks } from './refuse-links.ts'
import { findKnown, type Known, knownKeys, remember, writtenScripts } from './state.ts'
import { isUntouched } from './untouched.ts'
import { type FolderFiles, renderFolder, writeFolder } from './write-folder.ts'

export type Pulled = { workflow: string; id: string; folder: string; filesChanged: number }
type Options = { root: string; cwd: string; force: boolean; onRead(count: number): void }

type Target = {
  listed: ListedWorkflow
  folder: string
  known: Known | undefined
  /** What the files say; undefined where there are none, or broken ones that --force replaces. */
  local: Portable | undefined
  /** What the server has. It is not read where nothing has changed on either side. */
  news?: News
}

/** A workflow as it was read, made ready to be written while others are still being read. */
type News = { current: ServiceWorkflow; files: FolderFiles; state: Known }

export async function pull(
  connection: Connection,
  workflows: readonly ListedWorkflow[],
  options: Options,
): Promise<Pulled[]> {
  const { client } = connection
  const names = await loadNames(client)
  let count = 0
  const targets = await concurrently(findTargets(connection, workflows, options), readersAtOnce, async (target) => {
    const { listed, local, known } = target
    const isSame = local !== undefined && isUntouched({ local, known, listed, names })
    const news = isSame ? {} : { news: prepare(names, target, await client.workflow({ params: { id: listed.id } })) }
    options.onRead(++count)
    return { ...target, ...news }
  })
  const edited = options.force ? [] : targets.filter((target) => isEdited(names, target))
  if (edited.length > 0) {
    const places = edited.map(({ folder }) => relative(options.cwd, folder) || '.').join(', ')
    throw new Failure(
      `You have edited ${places} since the last pull or push. Push first, or pull with --force to overwrite your edits.`,
    )
  }
  return targets.map((target) => {
    const isThere = existsSync(target.folder)
    try {
      return {
        workflow: target.listed.name,
        id: target.listed.id,
        folder: relative(options.cwd, target.folder) || '.',
        filesChanged: target.news ? write(connection, target.folder, target.news) : 0,
      }
    } catch (error) {
      // Half a folder would look like a workflow of its own to the next pull.
      if (!isThere) rmSync(target.folder, { recursive: true, force: true })
      throw error
    }
  })
}

/** The folder that each workflow was pulled into or pushed from before, or one with a name that is free. */
function findTargets(
  connection: Connection,
  workflows: readonly ListedWorkflow[],
  { root, cwd, force }: Options,
): Target[] {
  const folders = existsSync(root) ? findFolders(root) : []
  const folderOf = new Map(folders.map((folder) => [findKnown(folder, connection)?.id, folder]))
  const taken = new Set(folders.map((folder) => basename(folder)))
  return workflows.map((listed) => {
    const folder = folderOf.get(listed.id) ?? join(root, takeFree(slugOf(listed.name), taken))
    refuseLinks(projectOf(cwd, root), folder)
    const isThere = existsSync(join(folder, 'workflow.yaml'))
    const local = isThere ? (force ? readIfValid : readFolder)(folder, cwd) : undefined
    return { listed, folder, known: findKnown(folder, connection), local }
  })
}

/** Files may be replaced when they say what the server says, or when only the server has moved on since the last pull or push. */
function isEdited(names: Names, { news, local, known }: Target): boolean {
  if (!news || !local) return false
  const { current } = news
  const server = alignSecrets(toPortable(current, names, knownKeys(known)), local)
  if (compare(server, local).length === 0) return false
  // At the same revision the difference can only have been made here.
  return known?.revision === current.revision || known?.digest !== digestOf(local)
}

function prepare(names: Names, { folder, known, local }: Target, current: ServiceWorkflow): News {
  const keys = keysOf(current, knownKeys(known))
  const portable = toPortable(current, names, knownKeys(known))
  const files = renderFolder(folder, local ? alignSecrets(portable, local) : portable, local)
  const state: Known = {
    id: current.id,
    revision: current.revision,
    // Of what will be read back.
    digest: digestOf(parseWorkflow('workflow.yaml', files.yaml, (script) => files.scripts.get(script))),
    blocks: Object.fromEntries([...keys].map(([id, key]) => [key, id])),
  }
  return { current, files, state }
}

/** Returns how many files changed. */
function write(connection: Connection, folder: string, { files, state }: News): number {
  const filesChanged = writeFolder(folder, files, writtenScripts(folder))
  remember(folder, connection, state)
  return filesChanged
}

/** With --force, broken files are replaced too. */
function readIfValid(folder: string, cwd: string): Portable | undefined {
  try {
    return readFolder(folder, cwd)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
