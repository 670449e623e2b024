// What a push would do, folder by folder: the same plan is shown by diff and carried out by push.
import { type Client, listSizeMax, PatchbayError } from '@patchbay/sdk'
import type { Connection } from '../session/connect.ts'
import type { ListedWorkflow } from '../session/find-workflow.ts'
import { alignSecrets } from './align-secrets.ts'
import { type Change, compare } from './compare.ts'
import { concurrently } from './concurrently.ts'
import { keysOf, type ServiceWorkflow, toPortable } from './from-service.ts'
import { loadNames, type Names } from './names.ts'
import type { WorkflowFolder } from './read-folder.ts'
import { findKnown, type Known, knownKeys } from './state.ts'
import { isUntouched } from './untouched.ts'

export const readersAtOnce = 16

export type Step = WorkflowFolder & {
  /** What the server has. Also undefined where it was not read, because nothing has changed on either side. */
  current: ServiceWorkflow | undefined
  /** Where the workflow is on the server; undefined for a new one. */
  onServer: { id: string; revision: number } | undefined
  /** Ids of the server's blocks by key. */
  blockIds: Map<string, string>
  changes: Change[]
  /** Why a push without --force refuses this folder. */
  objection: string | undefined
}

export type Plan = { names: Names; steps: Step[] }

type PlanOptions = {
  /** Read every workflow from the server, also those that have not changed. */
  readsAll?: boolean
}

export async function makePlan(
  connection: Connection,
  folders: readonly WorkflowFolder[],
  { readsAll = false }: PlanOptions = {},
): Promise<Plan> {
  const { client } = connection
  const [names, listed] = await Promise.all([
    loadNames(client),
    Array.fromAsync(client.each('WorkflowsSearch', { body: { size: listSizeMax } })),
  ])
  const byId = new Map(listed.map((one) => [one.id, one]))
  const byName = Map.groupBy(
    listed.filter(({ workflowState }) => workflowState !== 'archived'),
    ({ name }) => name,
  )
  const steps = await concurrently(folders, readersAtOnce, async (folder) => {
    const known = findKnown(folder.folder, connection)
    const found = known && byId.get(known.id)
    if (!readsAll && known && isUntouched({ local: folder.workflow, known, listed: found, names })) {
      return untouchedStep(folder, known)
    }
    const sameName: ListedWorkflow[] = known ? [] : (byName.get(folder.workflow.name) ?? [])
    const id = known?.id ?? (sameName.length === 1 ? sameName[0]?.id : undefined)
    const current = id === undefined ? undefined : await findCurrent(client, id)
    return makeStep({ folder, known, current, names, isAmbiguous: sameName.length > 1 })
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

function untouchedStep(folder: WorkflowFolder, known: Known): Step {
  const blockIds = new Map(Object.entries(known.blocks))
  return { ...folder, current: undefined, onServer: known, blockIds, changes: [], objection: undefined }
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
      ? `"${name}" was deleted on the server. Push with --force to create it again.`
      : isAmbiguous
        ? `Several workflows on the server are named "${name}". Pull the one you mean, or push with --force to create another.`
        : undefined
    const changes: Change[] = [{ workflow: name, change: 'create', path: '', from: null, to: folder.workflow }]
    return { ...folder, current, onServer: undefined, blockIds: new Map(), changes, objection }
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
  const blockIds = new Map([...keys].map(([id, key]) => [key, id]))
  return { ...folder, current, onServer: current, blockIds, changes, objection }
}
