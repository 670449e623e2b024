import type { Principal } from '../../access/index.ts'
import {
  type PreparedRevision,
  prepareRevision,
  type Save,
  type SaveDeps,
  saveRevision,
} from '../revisions/save-revision.ts'
import { refuseOtherTemplate, type TemplateChoice } from '../template/template-choice.ts'
import { applyChanges, type WorkflowInput } from './apply-changes.ts'
import type { CheckedScripts } from './check-scripts.ts'
import { checkStorable } from './check-storable.ts'
import type { CreateDeps } from './create.ts'

export type ChangeDeps = CreateDeps & SaveDeps

type Change = {
  id: string
  given: WorkflowInput & TemplateChoice
  /** From If-Match; undefined when the caller takes the workflow as it is. */
  expectedRevisions: readonly number[] | undefined
}

/** Returns the number of the newest revision. */
export async function changeWorkflow(deps: ChangeDeps, principal: Principal, change: Change): Promise<number> {
  return saveRevision(deps, principal, toSave(deps, change))
}

/** Everything but the writing. */
export async function prepareChange(
  deps: ChangeDeps,
  principal: Principal,
  change: Change,
  checked: CheckedScripts,
): Promise<PreparedRevision> {
  return prepareRevision(deps, principal, toSave(deps, change, checked))
}

/** Scripts that compiled in one attempt need not be compiled again in the next. */
function toSave(deps: ChangeDeps, { id, given, expectedRevisions }: Change, checked: CheckedScripts = new Set()): Save {
  checkStorable(given)
  return {
    workflowId: id,
    reason: 'Updated',
    expectedRevisions,
    decide: async (current, stored) => {
      refuseOtherTemplate(given, stored)
      const { organizationId, templateVersion, baseDigest } = stored
      const definition = await applyChanges(deps, organizationId, { current, input: given, checked })
      return { definition, templateVersion, baseDigest }
    },
  }
}
