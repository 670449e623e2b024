import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { findCurrentNames, workflowExists } from '../workflows/index.ts'
import { checkExpectations, type Expectation, type GivenExpectation } from './expectation.ts'
import { deleteExpectations, insertExpectation, lockExpectations, moveExpectation } from './store.ts'
import { settleAlarm, type TellDeps } from './tell.ts'

export type SetDeps = TellDeps & { database: Database }

/** What is expected as before keeps its state and its alarm; the alarm of what is no longer expected is cleared. */
export async function setExpectations(
  deps: SetDeps,
  principal: Principal,
  workflowId: string,
  given: readonly GivenExpectation[],
): Promise<undefined> {
  const scope = scopeOf(principal)
  const { accountId } = scope
  if (!(await workflowExists(deps.database.forScope(scope), scope, workflowId))) throw notFound('workflow')
  await deps.database.system.transaction(async (tx) => {
    const names = await findCurrentNames(tx, workflowId)
    checkExpectations(given, new Set(names.blocks.keys()))
    const before = await lockExpectations(tx, workflowId)
    const kept = new Map(before.map((one) => [keyOf(one), one]))
    for (const [position, one] of given.entries()) {
      const wanted = completed(one)
      const same = kept.get(keyOf(wanted))
      kept.delete(keyOf(wanted))
      if (same) await moveExpectation(tx, same.id, position)
      else await insertExpectation(tx, { ...wanted, id: newId(), accountId, workflowId, position })
    }
    for (const gone of kept.values()) await settleAlarm(deps, tx, gone, names.workflow)
    await deleteExpectations(
      tx,
      [...kept.values()].map(({ id }) => id),
    )
    await recordAudit(tx, actorOf(principal), {
      action: 'expectations.changed',
      target: workflowId,
      details: { expectations: given },
    })
  })
}

type Wanted = Pick<Expectation, 'kind' | 'uniqueBlockId' | 'hours' | 'min' | 'max'>

function completed({ kind, uniqueBlockId, hours, min, max }: GivenExpectation): Wanted {
  return { kind, uniqueBlockId: uniqueBlockId ?? null, hours: hours ?? null, min: min ?? null, max: max ?? null }
}

function keyOf({ kind, uniqueBlockId, hours, min, max }: Wanted): string {
  return JSON.stringify([kind, uniqueBlockId, hours, min, max])
}
