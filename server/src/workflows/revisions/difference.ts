import { replayRunsDefault } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { type Comparable, findDifference } from '../../engine/compare/difference.ts'
import { notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { hideSecrets, openDefinition } from '../definition/sealed-values.ts'
import { findWorkflow, hasWorkflow } from '../store.ts'

type Deps = { database: Database; keyRing: KeyRing }

/** Secrets are compared as they are and shown as stars: that one changed can be seen, what it is cannot. */
export async function getDifference(
  deps: Deps,
  principal: Principal,
  workflowId: string,
  { from, to }: { from: number; to: number },
) {
  const scope = scopeOf(principal)
  if (!(await hasWorkflow(deps.database.forScope(scope), scope.accountId, workflowId))) throw notFound('workflow')
  const [before, after] = await Promise.all(
    [from, to].map((revision) => readRevision(deps, principal, workflowId, revision)),
  )
  const difference = findDifference(before as Comparable, after as Comparable)
  return { from, to, ...(JSON.parse(JSON.stringify(difference)) as typeof difference) }
}

async function readRevision(
  deps: Deps,
  principal: Principal,
  workflowId: string,
  revision: number,
): Promise<Comparable> {
  const scope = scopeOf(principal)
  const stored = await findWorkflow(deps.database.forScope(scope), scope.accountId, workflowId, revision)
  if (!stored) throw notFound('revision')
  const opened = await openDefinition(deps.keyRing, { workflowId, accountId: scope.accountId, revision }, stored)
  return comparableOf(hideSecrets(opened), stored.templateVersion)
}

function comparableOf(definition: Definition, templateVersion: string | null): Comparable {
  const { name, description, isCustomizedStructure, timeoutSeconds, recordCallBodies = false } = definition
  const { replayRuns = replayRunsDefault, outputBlock = null } = definition
  const settings = { timeoutSeconds, recordCallBodies, replayRuns, outputBlock }
  return {
    fields: { name, description, isCustomizedStructure, ...settings, templateVersion },
    variables: definition.variables,
    applications: definition.applications,
    chain: definition.chain,
  }
}
