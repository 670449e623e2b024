// Revisions never change, so what a run needs of one is read once. State and newest revision are not kept here: they do change.
import { resolveVariables } from '../../engine/bindings.ts'
import type { ChainBlock } from '../../engine/chain.ts'
import { orderBlocks } from '../../engine/graph.ts'
import type { Checked } from '../../engine/problem.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'

export type FindDefinition = (
  accountId: string,
  workflowId: string,
  revision?: number,
) => Promise<WorkflowDefinition | undefined>

export type PlannedBlock = ChainBlock & {
  readonly no: number
  /** What the script sees as its variables. */
  readonly values: Checked<Record<string, unknown>>
}

export type PlannedWorkflow = Omit<WorkflowDefinition, 'state'> & {
  readonly blocks: ReadonlyMap<string, PlannedBlock>
  /** Ids in the order of execution. */
  readonly order: readonly string[]
}

const entriesMax = 500

export class DefinitionCache {
  readonly #find: FindDefinition
  readonly #entries = new Map<string, Promise<PlannedWorkflow | undefined>>()

  constructor(find: FindDefinition) {
    this.#find = find
  }

  get(accountId: string, workflowId: string, revision: number): Promise<PlannedWorkflow | undefined> {
    const key = `${workflowId} ${revision} ${accountId}`
    const known = this.#entries.get(key)
    if (known !== undefined) {
      // Used again: now the youngest.
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known
    }
    if (this.#entries.size >= entriesMax) this.#entries.delete(this.#entries.keys().next().value as string)
    const asked = this.#find(accountId, workflowId, revision).then((found) => found && planWorkflow(found))
    this.#entries.set(key, asked)
    const forget = () => this.#entries.delete(key)
    asked.then((found) => found ?? forget(), forget)
    return asked
  }
}

export function planWorkflow(definition: WorkflowDefinition): PlannedWorkflow {
  const values = new Map(Object.entries(definition.variables).map(([name, { value }]) => [name, value]))
  const blocks = definition.chain.map((block): [string, PlannedBlock] => {
    return [block.uniqueBlockId, { ...block, values: resolveVariables(block, values) }]
  })
  return { ...definition, blocks: new Map(blocks), order: orderBlocks(definition.chain) }
}
