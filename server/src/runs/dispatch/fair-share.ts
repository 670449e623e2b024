/**
 * How many jobs a worker takes, and of whom. Every account that has runs in hand may have an equal share of the slots, and one share is
 * always left for the account that comes next: so nobody waits behind another's backlog.
 *
 *  - As long as every account is below its share, the oldest jobs are taken, at most so many that no share can be exceeded.
 *  - Once some account has its share, jobs are taken by turns (turns.ts).
 */
export type FetchPlan = { count: number; hasFullShare: boolean }

export function planFetch(slots: number, inHand: ReadonlyMap<string, number>): FetchPlan | undefined {
  const share = Math.max(1, Math.floor(slots / (Math.max(1, inHand.size) + 1)))
  let used = 0
  let leastLeft = share
  let hasFullShare = false
  for (const count of inHand.values()) {
    used += count
    if (count >= share) hasFullShare = true
    else leastLeft = Math.min(leastLeft, share - count)
  }
  const free = Math.min(slots - used, leastLeft)
  // Powers of two, so that few different statements are prepared.
  return free <= 0 ? undefined : { count: 2 ** Math.floor(Math.log2(free)), hasFullShare }
}
