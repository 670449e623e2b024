// Requests that meet at one lock, in a known order.
import pg from 'pg'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

/** Takes a lock, lets each of `begin` run into it, one after the other, and gives it back when all of them wait. */
export async function behindLock<Result>(
  service: TestService,
  lock: { statement: string; values: unknown[] },
  begin: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const owner = new pg.Client({ connectionString: service.databaseUrl, options: '-c search_path=patchbay' })
  await owner.connect()
  try {
    await owner.query('begin')
    await owner.query(lock.statement, lock.values)
    const begun: Promise<Result>[] = []
    for (const one of begin) {
      begun.push(one())
      await eventually(async () => (await countWaiting(service)) >= begun.length)
    }
    await owner.query('commit')
    return await Promise.all(begun)
  } finally {
    await owner.end()
  }
}

async function countWaiting(service: TestService): Promise<number> {
  const waiting = await service.asOwner(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return waiting.length
}
