import pg from 'pg'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

export type HeldLock = AsyncDisposable & {
  /** Takes back what the statement did. */
  release(): Promise<void>
  /** Makes final what the statement did. */
  commit(): Promise<void>
}

/** Keeps the locks of a statement on a connection of its own, so that whoever needs them waits for as long as a test wants. */
export async function holdLock(databaseUrl: string, statement: string, values: unknown[] = []): Promise<HeldLock> {
  const owner = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=patchbay' })
  await owner.connect()
  await owner.query('begin')
  await owner.query(statement, values)
  let ending: Promise<void> | undefined
  const release = () => {
    ending ??= owner.end()
    return ending
  }
  const commit = async () => {
    await owner.query('commit')
    await release()
  }
  return { release, commit, [Symbol.asyncDispose]: release }
}

/** Holds what a statement locks, lets each of `begin` run into it, one after the other, and makes the statement final when all of them wait. */
export async function behindLock<Result>(
  service: TestService,
  lock: { statement: string; values: unknown[] },
  begin: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  await using held = await holdLock(service.databaseUrl, lock.statement, lock.values)
  const begun: Promise<Result>[] = []
  for (const one of begin) {
    begun.push(one())
    await eventually(async () => (await countWaiting(service)) >= begun.length)
  }
  await held.commit()
  return Promise.all(begun)
}

/** Sessions of the service's database that wait for a lock. */
export async function countWaiting(service: TestService): Promise<number> {
  const waiting = await service.asOwner(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return waiting.length
}
