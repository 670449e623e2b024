import { replayRunsDefault } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { Database } from '../../db/index.ts'
import { toFlowAnswer } from '../../engine/chain/flow-fields.ts'
import { lintChain } from '../../engine/lint/lint-chain.ts'
import { listFunctionNames } from '../../functions/index.ts'
import { invalid, notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { maskDefinition, openDefinition } from '../definition/sealed-values.ts'
import type { BlockOfRun, RunItem, WorkflowRuns, WorkflowWebhooks } from '../ports.ts'
import { findWorkflow, hasWorkflow } from '../store.ts'
import { findItem, toItem } from './list-item.ts'

export type GetDeps = {
  database: Database
  keyRing: KeyRing
  catalog: Pick<Catalog, 'listFunctions'>
  runs: WorkflowRuns
  webhooks: WorkflowWebhooks
}

type AsOf = { runNumber?: number; revision?: number }

/** With `runNumber` or `revision`, names, scripts and values are as they were at that run or in that revision. */
export async function getWorkflow(deps: GetDeps, principal: Principal, id: string, { runNumber, revision }: AsOf) {
  if (runNumber !== undefined && revision !== undefined) {
    throw invalid('Give runNumber or revision, not both.')
  }
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  const ofRun = runNumber === undefined ? undefined : await findRun(deps, principal, id, runNumber)
  const [item, stored, url] = await Promise.all([
    findItem(db, scope.accountId, id),
    findWorkflow(db, scope.accountId, id, ofRun?.revision ?? revision),
    deps.webhooks.addressOf(scope, id),
  ])
  if (!item) throw notFound('workflow')
  if (!stored) throw notFound('revision')
  const key = { workflowId: stored.id, accountId: stored.accountId, revision: stored.revision }
  const definition = maskDefinition(await openDefinition(deps.keyRing, key, stored))
  return {
    ...toItem(item),
    revision: stored.revision,
    templateVersion: stored.templateVersion,
    name: definition.name,
    description: definition.description,
    isCustomizedStructure: definition.isCustomizedStructure,
    applications: { ...definition.applications },
    accountId: stored.accountId,
    organizationId: stored.organizationId,
    variables: toVariables(definition),
    chain: toChain(definition, ofRun),
    timeoutSeconds: definition.timeoutSeconds,
    recordCallBodies: definition.recordCallBodies ?? false,
    replayRuns: definition.replayRuns ?? replayRunsDefault,
    outputBlock: definition.outputBlock ?? null,
    warnings: await findWarnings(deps, definition, stored.organizationId),
    webhook: { isActive: item.is_webhook_active, url },
    ...(ofRun && { run: ofRun.run }),
  }
}

async function findWarnings({ catalog }: GetDeps, { chain }: Definition, organizationId: string) {
  const names = await listFunctionNames(catalog, organizationId)
  const warnings = lintChain(chain, (name) => names.has(name))
  return warnings.length === 0 ? null : warnings
}

async function findRun(deps: GetDeps, principal: Principal, id: string, runNumber: number) {
  // The workflow comes first: a run of somebody else's must look as if there were none.
  const scope = scopeOf(principal)
  if (!(await hasWorkflow(deps.database.forScope(scope), scope.accountId, id))) throw notFound('workflow')
  const found = runNumber > runNumberMax ? undefined : await deps.runs.find(scope, id, runNumber)
  if (!found) throw notFound('run')
  return found
}

/** Run numbers are PostgreSQL integers; no workflow has had more runs than that. */
const runNumberMax = 2_147_483_647

function toVariables(definition: Definition) {
  return Object.fromEntries(
    definition.variables.map(({ name, value, type, required, displayName, options }) => [
      name,
      { value, type, required, displayName, ...(options && { options: [...options] }) },
    ]),
  )
}

function toChain(definition: Definition, ofRun: { run: RunItem; blocks: readonly BlockOfRun[] } | undefined) {
  const outcomes = new Map(ofRun?.blocks.map(({ uniqueBlockId, ...outcome }) => [uniqueBlockId, outcome]))
  const untouched = {
    status: ofRun?.run.endDateTimeUTC === null ? 'Pending' : 'Skipped',
    startDateTimeUTC: null,
    endDateTimeUTC: null,
    tries: 0,
    childRun: null,
  }
  return definition.chain.map((block, index) => ({
    no: index + 1,
    uniqueBlockId: block.uniqueBlockId,
    blockName: block.blockName,
    blockTemplateId: block.blockTemplateId,
    applicationShortName: block.applicationShortName,
    script: block.script,
    dataSources: [...block.dataSources],
    variables: { ...block.variables },
    ...toFlowAnswer(block),
    isCustomized: block.isCustomized,
    ...(ofRun && (outcomes.get(block.uniqueBlockId) ?? untouched)),
  }))
}
