// Nothing of a workflow need be read from the server while the folder and the server both stand where they stood at the last pull or push.
import type { ListedWorkflow } from '../session/find-workflow.ts'
import { type Names, registrationOf } from './names.ts'
import { digestOf, type Portable } from './portable.ts'
import type { Known } from './state.ts'

type Compared = {
  local: Portable
  known: Known | undefined
  /** As the server lists it now. */
  listed: ListedWorkflow | undefined
  names: Names
}

export function isUntouched({ local, known, listed, names }: Compared): boolean {
  return (
    known !== undefined &&
    known.id === listed?.id &&
    known.revision === listed.revision &&
    known.digest === digestOf(local) &&
    meanTheSame(local, listed, names)
  )
}

/** A revision holds ids and files hold names, so renaming a template or a connection changes neither. */
function meanTheSame(local: Portable, listed: ListedWorkflow, names: Names): boolean {
  const template = local.template ? names.workflowTemplate.idOf(local.template.name) : null
  return (
    template === listed.workflowTemplateId &&
    Object.entries(local.applications).every(
      ([shortName, label]) => registrationOf(names, shortName, label) === listed.applications[shortName],
    ) &&
    local.blocks.every(
      (block) => block.template === undefined || names.blockTemplate.idOf(block.template) !== undefined,
    )
  )
}
