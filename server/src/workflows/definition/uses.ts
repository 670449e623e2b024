import type { Definition } from './definition.ts'
import { listNeededApplications } from './deploy-problems.ts'

export type UseKind = 'application' | 'registeredApplication' | 'blockTemplate' | 'subWorkflow'

/** What a definition uses, for filters and for "who uses this?". */
export function listUses(definition: Definition): { kind: UseKind; target: string }[] {
  const names = [...listNeededApplications(definition), ...Object.keys(definition.applications)]
  const uses: [UseKind, string[]][] = [
    ['application', names.map((name) => name.toUpperCase())],
    ['registeredApplication', Object.values(definition.applications)],
    ['blockTemplate', definition.chain.flatMap((block) => block.blockTemplateId ?? [])],
    ['subWorkflow', definition.chain.flatMap((block) => block.subWorkflow?.workflowId?.toLowerCase() ?? [])],
  ]
  return uses.flatMap(([kind, targets]) => [...new Set(targets)].map((target) => ({ kind, target })))
}
