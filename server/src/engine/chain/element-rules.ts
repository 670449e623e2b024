import type { VariableDefinition } from '../variables/variable-values.ts'

/** What a block template contributes to a block made from it. */
export type BlockTemplate = {
  readonly id: string
  readonly name: string
  readonly applicationShortName: string | null
  readonly script: string
  readonly variables: Readonly<Record<string, VariableDefinition & { readonly defaultValue?: unknown }>>
}

export type ElementRules = {
  /** Bound blocks keep their data sources and their set of variables. */
  readonly isBound: boolean
  readonly blockTemplates: ReadonlyMap<string, BlockTemplate>
}
