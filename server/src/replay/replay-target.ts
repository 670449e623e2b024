// What runs are run again against. Most of it is the same for all runs of one revision, so it is made once.
import type { Connections } from '../connections/index.ts'
import type { Scope } from '../db/index.ts'
import { createMasker, type Masker } from '../sandbox/index.ts'
import type { WorkflowDefinition } from '../workflows/index.ts'
import type { GivenAnswer } from './recorded-calls.ts'

export type ReplayChange = {
  workflow: WorkflowDefinition
  /** Variables whose new values count; the others keep what was recorded. */
  namedVariables: readonly string[]
  answers: readonly GivenAnswer[]
}

/** The changed workflow, for runs of one revision. */
type ForRevision = {
  workflow: WorkflowDefinition
  nameOf(blockId: string): string
  /** Takes secrets out of bodies and addresses. */
  masker: Masker
}

export type TargetDeps = {
  connections: Pick<Connections, 'addressOf' | 'secretsOf'>
  findDefinition(accountId: string, workflowId: string, revision?: number): Promise<WorkflowDefinition | undefined>
}

export class ReplayTarget {
  readonly answers: readonly GivenAnswer[]
  readonly #deps: TargetDeps
  readonly #change: ReplayChange
  readonly #revisions = new Map<number, Promise<ForRevision | undefined>>()

  constructor(deps: TargetDeps, change: ReplayChange) {
    this.#deps = deps
    this.#change = change
    this.answers = change.answers
  }

  get workflow(): WorkflowDefinition {
    return this.#change.workflow
  }

  /** Undefined when the revision that was run is gone. */
  forRevision(revision: number): Promise<ForRevision | undefined> {
    const known = this.#revisions.get(revision)
    if (known !== undefined) return known
    const made = this.#make(revision)
    this.#revisions.set(revision, made)
    made.catch(() => this.#revisions.delete(revision))
    return made
  }

  async #make(revision: number): Promise<ForRevision | undefined> {
    const { accountId, organizationId, workflowId } = this.workflow
    const scope: Scope = { accountId, organizationId }
    const before = await this.#deps.findDefinition(accountId, workflowId, revision)
    if (!before) return undefined
    const workflow = withRecordedVariables(this.#change, before)
    const credentials = await this.#deps.connections.secretsOf(scope, Object.values(workflow.applications))
    const masker = createMasker([...workflow.secrets, ...credentials])
    const names = new Map([...before.chain, ...workflow.chain].map((block) => [block.uniqueBlockId, block.blockName]))
    return { workflow, nameOf: (blockId) => names.get(blockId) ?? '', masker }
  }
}

/** Recorded variables hold unless the change names them or gave them another type. */
function withRecordedVariables(
  { workflow, namedVariables }: ReplayChange,
  before: WorkflowDefinition,
): WorkflowDefinition {
  const variables = Object.entries(workflow.variables).map(([name, variable]): [string, typeof variable] => {
    const known = Object.hasOwn(before.variables, name) ? before.variables[name] : undefined
    const holds = known?.type === variable.type && !namedVariables.includes(name)
    return [name, holds ? { ...variable, value: known.value } : variable]
  })
  return {
    ...workflow,
    variables: Object.fromEntries(variables),
    secrets: [...new Set([...workflow.secrets, ...before.secrets])],
  }
}
