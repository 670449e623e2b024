// The base of a workflow: what its template said when the workflow was made from it. Comparing a workflow with its base tells what the
// customer changed; comparing the base with another version of the template tells what its author changed.
import { createHash } from 'node:crypto'
import type { Definition } from '../definition/definition.ts'

export type Base = {
  digest: Buffer
  organizationId: string
  template: { id: string; version: string | null }
  /** JSON text of a Definition. */
  definition: string
}

/** Equal content in one organization is one base, however many workflows have it. */
export function makeBase(given: {
  organizationId: string
  template: { id: string; version: string | null }
  definition: Definition
}): Base {
  const { organizationId, template } = given
  const definition = JSON.stringify(given.definition)
  const digest = createHash('sha256')
    .update(JSON.stringify([organizationId, template.id, template.version]))
    .update(definition)
    .digest()
  return { digest, organizationId, template: { id: template.id, version: template.version }, definition }
}
