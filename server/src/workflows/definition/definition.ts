// What a workflow does, in two forms: as a revision stores it, and as a run reads it.

import type { WorkflowStateName } from '@patchbay/contract'
import type { ChainBlock } from '../../engine/chain/chain.ts'
import type { VariableDefinition } from '../../engine/variables/variable-values.ts'
import type { WorkflowVariable } from '../../engine/variables/workflow-variables.ts'
import type { Json } from '../../lib/json.ts'

export type WorkflowState = WorkflowStateName

/** Everything that a saved change can change. Secrets are in their places here; they leave them only on the way to the database. */
export type Definition = {
  readonly name: string
  readonly description: string
  readonly isCustomizedStructure: boolean
  /** Short name, as the catalogue spells it, to the id of the registered application. */
  readonly applications: Readonly<Record<string, string>>
  /** What the template says it needs, whatever its blocks say. */
  readonly templateApplications: readonly string[]
  /** A list, because the database does not keep the order of an object's keys. */
  readonly variables: readonly (WorkflowVariable & { readonly name: string })[]
  readonly chain: readonly ChainBlock[]
  /**
   * Variables of the block templates in use, as they were when the first block was made from each: a template that changes
   * later must not make a workflow invalid that nobody touched.
   */
  readonly blockVariables: Readonly<Record<string, Readonly<Record<string, VariableDefinition>>>>
  readonly timeoutSeconds: number | null
  /** Absent means false. */
  readonly recordCallBodies?: true
  /** Absent means the default. */
  readonly replayRuns?: number
  /** Absent means the last block of the chain. */
  readonly outputBlock?: string
}

/** What a run needs of a workflow. */
export type WorkflowDefinition = {
  workflowId: string
  accountId: string
  organizationId: string
  revision: number
  name: string
  state: WorkflowState
  /** Upper-case short name to the id of the registered application. */
  applications: Record<string, string>
  /** Values of password variables are open here. */
  variables: Record<string, { value: Json; type: string; required: boolean; displayName: string }>
  chain: (ChainBlock & { readonly no: number })[]
  timeoutSeconds: number | null
  recordCallBodies: boolean
  /** Of how many of its newest runs everything is kept that a replay needs. */
  replayRuns: number
  /** The block whose result is that of a run; undefined for a chain without blocks. */
  outputBlock: string | undefined
  /** Values of password variables, of the workflow and of its blocks: what must not appear in logs, results and errors. */
  secrets: string[]
}
