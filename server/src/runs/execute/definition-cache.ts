// Revisions never change, so what a run needs of one is read once. State and newest revision are not kept here: they do change.
import { resolveVariables } from '../../engine/chain/bindings.ts'
import type { ChainBlock } from '../../engine/chain/chain.ts'
import { orderBlocks } from '../../engine/chain/graph.ts'
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
  /** Some block of it may have to wait. */
  readonly mayWait: boolean
  /** Some block of it goes on with the items of another. */
  readonly sharesItems: boolean
}

const entriesMax = 10_000
/** Characters of all scripts and values together: many small workflows are kept, or few large ones. */
const charactersMax = 32_000_000
/** What an entry takes beside them. */
const charactersOfEntry = 2000

export class DefinitionCache {
  readonly #find: FindDefinition
  readonly #entries = new Map<string, { workflow: Promise<PlannedWorkflow | undefined>; characters: number }>()
  #characters = 0

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
      return known.workflow
    }
    const workflow = this.#find(accountId, workflowId, revision).then((found) => found && planWorkflow(found))
    const entry = { workflow, characters: charactersOfEntry }
    this.#entries.set(key, entry)
    this.#characters += entry.characters
    workflow.then(
      (found) => (found ? this.#weigh(key, found) : this.#forget(key)),
      () => this.#forget(key),
    )
    return workflow
  }

  /** The oldest make room. */
  #weigh(key: string, workflow: PlannedWorkflow): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    const characters = workflow.chain.reduce((sum, { script }) => sum + script.length, 0)
    entry.characters += characters
    this.#characters += characters
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entriesMax && this.#characters <= charactersMax) return
      if (oldest !== key) this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#entries.get(key)?.characters ?? 0
    this.#entries.delete(key)
  }
}

export function planWorkflow(definition: WorkflowDefinition): PlannedWorkflow {
  const values = new Map(Object.entries(definition.variables).map(([name, { value }]) => [name, value]))
  const blocks = definition.chain.map((block): [string, PlannedBlock] => {
    return [block.uniqueBlockId, { ...block, values: resolveVariables(block, values) }]
  })
  const mayWait = definition.chain.some(({ retry, wait, subWorkflow }) => retry || wait || subWorkflow)
  const sharesItems = definition.chain.some(({ forEach }) => forEach?.sameItemsAs !== undefined)
  return { ...definition, blocks: new Map(blocks), order: orderBlocks(definition.chain), mayWait, sharesItems }
}
