import type { Tx } from '../db/index.ts'
import type { JobQueue } from '../queue/index.ts'

export const upgradeQueue = 'template-upgrade'

/** A job says that it is time to look at an upgrade. One of an earlier turn has no effect. */
export type Turn = { id: string; turn: number }

export function sendTurn(jobs: Pick<JobQueue, 'sendMany'>, tx: Tx, { id, turn }: Turn, inMinutes = 0): Promise<void> {
  const startAfter = inMinutes > 0 ? { startAfter: new Date(Date.now() + inMinutes * 60_000) } : {}
  return jobs.sendMany(tx, upgradeQueue, [{ data: { id, turn }, ...startAfter }])
}
