// What a push would do, folder by folder: the same plan is shown by diff and carried out by push.
import type { Client } from '@patchbay/sdk'
import { PatchbayError } from '@patchbay/sdk'
import type { Connection } from '../session/connect.ts'
import { alignSecrets } from './align-secrets.ts'
import { type Change, compare } from './compare.ts'
import { concurrently } from './concurrently.ts'
import { keysOf, type ServiceWorkflow, toPortable } from './from-service.ts'
import { loadNames, type Names } from './names.ts'
import type { WorkflowFolder } from './read-folder.ts'
import { findKnown, type Known, knownKeys } from './state.ts'

export const readersAtOnce = 16

export type Step = WorkflowFolder & {
  known: Known | undefined
  current: ServiceWorkflow | undefined
  /** Ids of the server's blocks by key. */
  blockIds: Map<string, string>
  changes: Change[]
  /** Why a push without --force refuses this folder. */
  objection: string | undefined
}

export type Plan = { names: Names; steps: Step[] }

export async function makePlan(connection: Connection, folders: readonly WorkflowFolder[]): Promise<Plan> {
  const { client } = connection
  const [names, listed] = await Promise.all([
    loadNames(client),
    Array.fromAsync(client.each('WorkflowsSearch', { body: { size: 1000 } })),
  ])
  const idsByName = new Map<string, string[]>()
  for (const { id, name, workflowState } of listed) {
    if (workflowState !== 'archived') idsByName.set(name, [...(idsByName.get(name) ?? []), id])
  }
  const steps = await concurrently(folders, readersAtOnce, async (folder) => {
    const known = findKnown(folder.folder, connection)
    const sameName = idsByName.get(folder.workflow.name) ?? []
    const id = known?.id ?? (sameName.length === 1 ? sameName[0] : undefined)
    const current = id === undefined ? undefined : await findCurrent(client, id)
    const isAmbiguous = known === undefined && sameName.length > 1
    return makeStep({ folder, known, current, names, isAmbiguous })
  })
  return { names, steps }
}

async function findCurrent(client: Client, id: string): Promise<ServiceWorkflow | undefined> {
  try {
    return await client.workflow({ params: { id } })
  } catch (error) {
    if (error instanceof PatchbayError && error.status === 404) return undefined
    throw error
  }
}

type Found = {
  folder: WorkflowFolder
  known: Known | undefined
  current: ServiceWorkflow | undefined
  names: Names
  isAmbiguous: boolean
}

function makeStep({ folder, known, current, names, isAmbiguous }: Found): Step {
  const { name } = folder.workflow
  if (!current) {
    const objection = known
      ? `"${name}" was deleted on the server. Push with --force to create it anew.`
      : isAmbiguous
        ? `Several workflows on the server are named "${name}". Pull the one you mean, or push with --force to create another.`
        : undefined
    const changes: Change[] = [{ workflow: name, change: 'create', path: '', from: null, to: folder.workflow }]
    return { ...folder, known, current, blockIds: new Map(), changes, objection }
  }
  const keys = keysOf(current, knownKeys(known))
  const server = alignSecrets(toPortable(current, names, knownKeys(known)), folder.workflow)
  const changes = compare(server, folder.workflow)
  const objection =
    changes.length === 0 || known?.revision === current.revision
      ? undefined
      : known
        ? `"${name}" was changed on the server (revision ${known.revision} here, ${current.revision} there). Pull first, or push with --force to overwrite.`
        : `"${name}" exists on the server and was never pulled here. Pull first, or push with --force to overwrite.`
  return { ...folder, known, current, blockIds: new Map([...keys].map(([id, key]) => [key, id])), changes, objection }
}
