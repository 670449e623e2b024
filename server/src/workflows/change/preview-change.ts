import { type Principal, scopeOf } from '../../access/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { Definition } from '../definition/definition.ts'
import { openDefinition } from '../definition/sealed-values.ts'
import { holdSubWorkflows } from '../definition/sub-workflows.ts'
import { findWorkflow } from '../store.ts'
import { refuseOtherTemplate, type TemplateChoice } from '../template/template-choice.ts'
import { applyChanges, type WorkflowInput } from './apply-changes.ts'
import { checkStorable } from './check-storable.ts'
import type { ChangeDeps } from './update.ts'

/** The newest revision with these changes, refused for what an update would be refused for. Nothing is saved. */
export async function previewChange(
  deps: Omit<ChangeDeps, 'connections'>,
  principal: Principal,
  workflowId: string,
  given: WorkflowInput & TemplateChoice,
): Promise<Definition> {
  checkStorable(given)
  const scope = scopeOf(principal)
  const found = await findWorkflow(deps.database.forScope(scope), scope.accountId, workflowId)
  if (!found) throw notFound('workflow')
  refuseOtherTemplate(given, found)
  const { accountId, organizationId, revision } = found
  const current = await openDefinition(deps.keyRing, { workflowId, accountId, revision }, found)
  const changed = await applyChanges(deps, organizationId, { current, input: given })
  await holdSubWorkflows(deps.database.forScope(scope), accountId, changed)
  // As it would be read back: JSON knows no undefined.
  return JSON.parse(JSON.stringify(changed)) as Definition
}
