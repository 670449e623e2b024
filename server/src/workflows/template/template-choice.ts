import { AppError } from '../../lib/app-error.ts'
import type { StoredWorkflow } from '../store.ts'

/** Which template a workflow is made from. */
export type TemplateChoice = { workflowTemplateId?: string | null; templateVersion?: string | null }

/** An update may repeat the template and its version, as an answer shows them; it cannot exchange them. */
export function refuseOtherTemplate(given: TemplateChoice, stored: StoredWorkflow): void {
  const id = given.workflowTemplateId
  if (id !== undefined && id !== stored.workflowTemplateId) {
    throw new AppError(
      'workflow_invalid',
      'The field workflowTemplateId cannot change: a workflow keeps the template it was made from.',
    )
  }
  if (given.templateVersion !== undefined && given.templateVersion !== stored.templateVersion) {
    const why =
      stored.templateVersion === null
        ? 'this workflow follows no published template.'
        : `the workflow follows version ${stored.templateVersion}. To move it to another one, use TemplateUpgrade.`
    throw new AppError('workflow_invalid', `The field templateVersion cannot change here: ${why}`)
  }
}
