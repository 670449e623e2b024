import { AppError, notFound } from '../../lib/app-error.ts'
import type { Definition } from '../../workflows/index.ts'
import { type Base, resolveTemplate } from '../../workflows/index.ts'
import type { UpgradeCatalog } from '../ports.ts'

/** What workflows are brought to. */
export type Goal = {
  version: string
  theirs: Definition
  /** Published versions of the template, oldest first. */
  versions: readonly string[]
}

export type Target = Goal & { workflowTemplateId: string; base: Base }

export async function findTarget(
  catalog: UpgradeCatalog,
  organizationId: string,
  given: { workflowTemplateId: string; toVersion?: string },
): Promise<Target> {
  const id = given.workflowTemplateId
  const newest = await catalog.findWorkflowTemplate(organizationId, id)
  if (!newest) {
    if (!(await catalog.findWorkflowTemplate(organizationId, id, { draft: true }))) throw notFound('workflow template')
    throw refuse('The template has no published version yet. Publish it first.')
  }
  const template =
    given.toVersion === undefined || given.toVersion === newest.version
      ? newest
      : await catalog.findWorkflowTemplate(organizationId, id, { version: given.toVersion })
  if (!template || template.version === null) {
    throw refuse(`The field toVersion is ${given.toVersion}, but the template has no such published version.`)
  }
  const { definition, base } = await resolveTemplate(catalog, organizationId, template)
  const versions = await catalog.listTemplateVersions(organizationId, id)
  return { workflowTemplateId: id, version: template.version, theirs: definition, base, versions }
}

/** Whether a workflow of this version is past the target already. A version that nobody knows any more is an old one. */
export function isNewer({ versions, version }: Goal, of: string | null): boolean {
  return of !== null && versions.indexOf(of) > versions.indexOf(version)
}

export function refuse(message: string): AppError {
  return new AppError('upgrade_invalid', message)
}
