// Many workflows from one request, all of them or none: everything is checked, compiled and sealed without a lock, then stored in one
// transaction, each change fenced by the revision that the caller looked at.
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Tx } from '../../db/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { lockCalls } from '../definition/sub-workflow-store.ts'
import type { TemplateChoice } from '../template/template-choice.ts'
import type { WorkflowInput } from './apply-changes.ts'
import type { CheckedScripts } from './check-scripts.ts'
import { prepareNew } from './create.ts'
import { type ChangeDeps, prepareChange } from './update.ts'

type Given = {
  /** Absent for a new workflow. */
  id?: string
  /** What the caller takes for the newest revision. */
  revision?: number
  workflow: WorkflowInput & TemplateChoice
}
export type PushedWorkflow = { id: string; revision: number; change: 'created' | 'updated' | 'unchanged' }

/** `store` is absent where there is nothing to store; it is false when somebody else was faster. */
type Prepared = { pushed: PushedWorkflow; store?: (tx: Tx) => Promise<boolean> }

/** Enough to keep the compilers busy while others wait for the database. */
const preparedAtOnce = 8

export async function pushWorkflows(
  deps: ChangeDeps,
  principal: Principal,
  given: readonly Given[],
): Promise<PushedWorkflow[]> {
  refuseTwice(given)
  // Workflows that customers share a template for share its scripts: each is compiled once.
  const checked: CheckedScripts = new Set()
  const prepared: Prepared[] = []
  for (let from = 0; from < given.length; from += preparedAtOnce) {
    const some = given.slice(from, from + preparedAtOnce)
    prepared.push(...(await Promise.all(some.map((one) => prepare(deps, principal, one, checked)))))
  }
  // In one order for everybody: two requests for the same workflows wait for each other instead of locking each other out.
  const changes = prepared.filter(({ store }) => store).toSorted((a, b) => (a.pushed.id < b.pushed.id ? -1 : 1))
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    await lockCalls(tx, principal.account.id)
    for (const { store } of changes) if (!(await store?.(tx))) throw changedNow()
  })
  return prepared.map(({ pushed }) => pushed)
}

function refuseTwice(given: readonly Given[]): void {
  const ids = given.flatMap(({ id }) => id ?? [])
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice) throw invalid(`The workflow ${twice} is named twice.`)
}

async function prepare(
  deps: ChangeDeps,
  principal: Principal,
  { id, revision, workflow }: Given,
  checked: CheckedScripts,
): Promise<Prepared> {
  if (id !== undefined && revision === undefined) {
    throw invalid(`The workflow ${id} needs the revision that the change was made for.`)
  }
  try {
    if (id === undefined) {
      const made = await prepareNew(deps, principal, workflow, { checked })
      const store = (tx: Tx) => made.store(tx).then(() => true)
      return { pushed: { id: made.id, revision: 1, change: 'created' }, store }
    }
    const change = { id, given: workflow, expectedRevisions: [revision as number] }
    const { store, revision: newest } = await prepareChange(deps, principal, change, checked)
    const pushed = { id: change.id, revision: newest, change: store ? ('updated' as const) : ('unchanged' as const) }
    return store ? { pushed, store } : { pushed }
  } catch (error) {
    throw named(error, workflow.name ?? id)
  }
}

/** Of many workflows, the one that is meant. */
function named(error: unknown, name: string | undefined): unknown {
  if (!(error instanceof AppError) || name === undefined || error.code === 'not_found') return error
  return new AppError(error.code, `"${name}": ${error.message}`, { cause: error.cause })
}

function changedNow(): AppError {
  return new AppError('workflow_changed', 'One of the workflows changed during the push. Nothing was saved. Try again.')
}
