import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, inOrder, type Tx } from '../../db/index.ts'
import { invalid, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { holdApplications } from '../definition/hold-applications.ts'
import { sealDefinition } from '../definition/sealed-values.ts'
import { holdSubWorkflows } from '../definition/sub-workflows.ts'
import type { CheckScript, WorkflowCatalog, WorkflowConnections } from '../ports.ts'
import { insertRevision, insertUses, insertWorkflow } from '../store.ts'
import { insertBase } from '../template/base-store.ts'
import { emptyDefinition } from '../template/start-definition.ts'
import { bindSubTemplates, listSubTemplates } from '../template/sub-templates.ts'
import type { TemplateChoice } from '../template/template-choice.ts'
import { resolveTemplate } from '../template/template-definition.ts'
import { applyChanges, type WorkflowInput } from './apply-changes.ts'
import type { CheckedScripts } from './check-scripts.ts'
import { checkStorable } from './check-storable.ts'

export type CreateDeps = {
  database: Database
  keyRing: KeyRing
  catalog: WorkflowCatalog
  checkScript: CheckScript
  connections: WorkflowConnections
}

type Given = WorkflowInput & TemplateChoice

export async function createWorkflow(deps: CreateDeps, principal: Principal, given: Given): Promise<string> {
  const { id, store } = await prepareNew(deps, principal, given)
  await deps.database.forScope(scopeOf(principal)).transaction(store)
  return id
}

type NewWorkflow = { id: string; store(tx: Tx): Promise<void> }
/** `level`: of a workflow that is made with the one that runs it. */
type Preparation = { checked?: CheckedScripts; level?: number }

const nothing = { template: undefined, base: undefined, children: [] }
/** As many as runs. */
const levelsMax = 5

/** Everything but the writing: `store` is called in a transaction of the account. */
export async function prepareNew(
  deps: CreateDeps,
  principal: Principal,
  given: Given,
  { checked = new Set(), level = 1 }: Preparation = {},
): Promise<NewWorkflow> {
  checkStorable(given)
  const { organizationId, id: accountId } = principal.account
  const { definition, template, base, children } = given.workflowTemplateId
    ? await fromTemplate(
        deps,
        principal,
        { ...given, workflowTemplateId: given.workflowTemplateId },
        { checked, level },
      )
    : { ...nothing, definition: await fromChain(deps, organizationId, given, checked) }
  const id = newId()
  const key = { workflowId: id, accountId, revision: 1 }
  const sealed = await sealDefinition(deps.keyRing, key, definition)
  const store = async (tx: Tx) => {
    for (const child of children) await child.store(tx)
    await holdApplications(deps.connections, tx, accountId, { before: {}, next: definition.applications })
    await holdSubWorkflows(tx, accountId, definition)
    // Revision and uses refer to the workflow, the revision to the base as well.
    await inOrder(tx, [
      (db) => insertWorkflow(db, { id, accountId, organizationId, template, definition }),
      (db) => base && insertBase(db, base),
      (db) =>
        insertRevision(db, key, sealed, {
          createdBy: principal.caller.id,
          reason: 'Created',
          templateVersion: template?.version ?? null,
          baseDigest: base?.digest ?? null,
        }),
      (db) => insertUses(db, accountId, id, definition),
      (db) =>
        recordAudit(db, actorOf(principal), {
          action: 'workflow.created',
          target: id,
          details: { name: definition.name, workflowTemplateId: template?.id ?? null },
        }),
    ])
  }
  return { id, store }
}

async function fromTemplate(
  deps: CreateDeps,
  principal: Principal,
  given: Given & { workflowTemplateId: string },
  { checked, level }: Required<Preparation>,
) {
  const { organizationId } = principal.account
  const template = await findTemplate(deps.catalog, organizationId, given.workflowTemplateId, given.templateVersion)
  const { definition: unbound, base } = await resolveTemplate(deps.catalog, organizationId, template)
  // One that is told as a whole names its sub-workflows itself.
  const isWhole = given.isCustomizedStructure === true && given.chain !== undefined
  const made = new Map<string, NewWorkflow>()
  for (const workflowTemplateId of isWhole ? [] : listSubTemplates(unbound)) {
    if (level === levelsMax) throw invalid(`Templates name each other more than ${levelsMax} levels deep.`)
    made.set(
      workflowTemplateId,
      await prepareNew(deps, principal, { workflowTemplateId }, { checked, level: level + 1 }),
    )
  }
  const start = bindSubTemplates(unbound, new Map([...made].map(([key, { id }]) => [key, id])))
  const definition = given.isCustomizedStructure
    ? await copyUnbound(deps, organizationId, { start, given, checked })
    : await applyChanges(deps, organizationId, { current: start, input: given, checked })
  return { definition, template, base, children: [...made.values()] }
}

async function findTemplate(
  catalog: WorkflowCatalog,
  organizationId: string,
  id: string,
  version: string | null | undefined,
) {
  const newest =
    (await catalog.findWorkflowTemplate(organizationId, id)) ??
    (await catalog.findWorkflowTemplate(organizationId, id, { draft: true }))
  if (!newest) throw notFound('workflow template')
  if (!version || newest.version === version) return newest
  const named = await catalog.findWorkflowTemplate(organizationId, id, { version })
  if (!named) throw invalid(`The field templateVersion is ${version}, but the template has no such version.`)
  return named
}

/** What was detached before is told as a whole: blocks and variables that it does not name were removed. */
async function copyUnbound(
  deps: CreateDeps,
  organizationId: string,
  { start, given, checked }: { start: Definition; given: Given; checked: CheckedScripts },
) {
  const bare = {
    ...start,
    isCustomizedStructure: true,
    ...(given.variables ? { variables: [] } : {}),
    ...(given.chain ? { chain: [], blockVariables: {} } : {}),
  }
  const isWhole = given.chain !== undefined && given.variables !== undefined
  return applyChanges(deps, organizationId, { current: bare, input: given, isNew: isWhole, checked })
}

async function fromChain(deps: CreateDeps, organizationId: string, given: Given, checked: CheckedScripts) {
  if (!given.chain) {
    throw invalid('A workflow needs a workflowTemplateId or a chain of its own.')
  }
  if (given.name === undefined) throw invalid('The field name is required.')
  return applyChanges(deps, organizationId, {
    current: emptyDefinition(given.name),
    input: given,
    isNew: true,
    checked,
  })
}
