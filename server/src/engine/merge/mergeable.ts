import type { ChainBlock } from '../chain/chain.ts'
import type { VariableDefinition } from '../variables/variable-values.ts'
import type { WorkflowVariable } from '../variables/workflow-variables.ts'

export type NamedVariable = WorkflowVariable & { readonly name: string }

/** As much of a workflow's definition as a template has a say in. */
export type Mergeable = {
  readonly description: string
  readonly isCustomizedStructure: boolean
  readonly templateApplications: readonly string[]
  readonly variables: readonly NamedVariable[]
  readonly chain: readonly ChainBlock[]
  /** By block template: how its variables are declared. */
  readonly blockVariables: Readonly<Record<string, Readonly<Record<string, VariableDefinition>>>>
}
