import type { VariableType } from '../variables/variable-values.ts'
import type { FlowFields } from './flow-fields.ts'

/** What a block's variable takes its value from. */
export type VariableBinding = (
  | { readonly variableSource: 'Value'; readonly value: unknown }
  | { readonly variableSource: 'Workflow'; readonly variableName: string }
) & {
  /** Only where the block says it itself; else the type is that of its template, if that has one. */
  readonly type?: VariableType
}

/** One block of a workflow. Its `no` is not stored: it is the position in the chain, starting with 1. */
export type ChainBlock = FlowFields & {
  readonly uniqueBlockId: string
  readonly blockName: string
  readonly blockTemplateId: string | null
  readonly applicationShortName: string | null
  readonly script: string
  readonly dataSources: readonly string[]
  readonly variables: Readonly<Record<string, VariableBinding>>
  readonly isCustomized: boolean
}

/** How a sentence names a block: by its name where it has one, always with its id. */
export function nameBlock(block: { readonly uniqueBlockId: string; readonly blockName?: string }): string {
  return block.blockName ? `"${block.blockName}" (${block.uniqueBlockId})` : block.uniqueBlockId
}
