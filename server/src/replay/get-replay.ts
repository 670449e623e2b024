import type { AnswerOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import type { KeyRing } from '../secrets/index.ts'
import { openResult } from './sealed-replay.ts'
import { findReplay, listReplayRuns } from './store.ts'

export async function getReplay(
  deps: { database: Database; keyRing: KeyRing },
  principal: Principal,
  id: string,
): Promise<AnswerOf<Operations['Replay']>> {
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  const replay = await findReplay(db, id)
  if (replay?.accountId !== scope.accountId) throw notFound('replay')
  const stored = await listReplayRuns(db, scope.accountId, id)
  const counts = { same: 0, different: 0, failed: 0, notReplayable: 0 }
  for (const { outcome } of stored) if (outcome !== null) counts[outcome]++
  const runs = await Promise.all(
    stored.flatMap(({ position, sealed }) =>
      sealed === null ? [] : [openResult(deps.keyRing, { id, accountId: scope.accountId }, position, sealed)],
    ),
  )
  return { state: replay.state, runs, counts }
}
