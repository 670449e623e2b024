import type { BlockTemplate, WorkflowTemplate } from '../format/definition.ts'

/** The block templates that a chain names, each once, as `find` knows them now. */
export function pinBlocks(
  { chain }: Pick<WorkflowTemplate, 'chain'>,
  find: (id: string) => BlockTemplate | undefined,
): BlockTemplate[] {
  const ids = new Set(chain.flatMap(({ blockTemplateId }) => blockTemplateId ?? []))
  return [...ids].flatMap((id) => find(id) ?? [])
}
