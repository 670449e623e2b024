// The seam to runs: what a workflow does at a revision, ready to be run.

import { replayRunsDefault } from '@patchbay/contract'
import type { Database, Queryable, Scope } from '../../db/index.ts'
import type { Json } from '../../lib/json.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition, WorkflowDefinition } from '../definition/definition.ts'
import { listSecretValues, openDefinition } from '../definition/sealed-values.ts'
import {
  countWorkflowsUsing as countUses,
  findFunctionStamp as findStamp,
  findWorkflow,
  listWorkflowsUsing,
  type StoredWorkflow,
} from '../store.ts'

/** The newest revision unless one is named. Undefined when the account has no such workflow or the workflow no such revision. */
export async function findDefinition(
  deps: { database: Database; keyRing: KeyRing },
  accountId: string,
  workflowId: string,
  revision?: number,
): Promise<WorkflowDefinition | undefined> {
  const found = await findWorkflow(deps.database.system, accountId, workflowId, revision)
  if (!found) return undefined
  const definition = await openDefinition(
    deps.keyRing,
    { workflowId: found.id, accountId, revision: found.revision },
    found,
  )
  return runnableOf(found, definition)
}

/** A definition in the form that runs read, stored or not. */
export function runnableOf(
  {
    id,
    accountId,
    organizationId,
    state,
    revision,
  }: Pick<StoredWorkflow, 'id' | 'accountId' | 'organizationId' | 'state' | 'revision'>,
  definition: Definition,
): WorkflowDefinition {
  return {
    workflowId: id,
    accountId,
    organizationId,
    revision,
    name: definition.name,
    state,
    applications: Object.fromEntries(
      Object.entries(definition.applications).map(([shortName, to]) => [shortName.toUpperCase(), to]),
    ),
    variables: Object.fromEntries(
      definition.variables.map(({ name, value, type, required, displayName }) => [
        name,
        { value: value as Json, type, required, displayName },
      ]),
    ),
    chain: definition.chain.map((block, index) => ({ ...block, no: index + 1 })),
    timeoutSeconds: definition.timeoutSeconds,
    recordCallBodies: definition.recordCallBodies ?? false,
    replayRuns: definition.replayRuns ?? replayRunsDefault,
    outputBlock: definition.outputBlock ?? definition.chain.at(-1)?.uniqueBlockId,
    secrets: listSecretValues(definition),
  }
}

/** Which of the organization's library functions a deployed workflow runs with; null when it is not deployed. */
export function findFunctionStamp(deps: { database: Database }, workflowId: string): Promise<number | null> {
  return findStamp(deps.database.system, workflowId)
}

/** Ids of workflows that are not archived and have this registered application among their applications. */
export function workflowsUsing(db: Queryable, scope: Scope, regApplicationId: string): Promise<string[]> {
  return listWorkflowsUsing(db, scope.accountId, 'registeredApplication', regApplicationId)
}

/** How many there are, by id of the registered application; ids that none uses are left out. */
export async function countWorkflowsUsing(
  deps: { database: Database },
  scope: Scope,
  regApplicationIds: readonly string[],
): Promise<Map<string, number>> {
  if (regApplicationIds.length === 0) return new Map()
  return countUses(deps.database.forScope(scope), scope.accountId, 'registeredApplication', regApplicationIds)
}
