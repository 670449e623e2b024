import type { Tx } from './database.ts'
import { isTransient } from './faults.ts'

/**
 * How a transaction writes what belongs to it and what is only told of it. `essentials` have been sent; `asides` are records for others, such as
 * counts, an index or announcements.
 */
export type Beside = (
  tx: Tx,
  essentials: readonly (Promise<unknown> | undefined)[],
  asides: readonly ((tx: Tx) => Promise<unknown>)[],
) => Promise<void>

/** All in one round trip, and all or nothing. This is the way as long as nothing fails. */
export const together: Beside = async (tx, essentials, asides) => {
  await Promise.all([...essentials, ...asides.map((aside) => aside(tx))])
}

/**
 * One after the other, after an attempt to write all of it `together` has failed: an aside that cannot be written is told of and left out. A
 * database that is away is no matter of one aside.
 */
export function oneByOne(onFault: (error: unknown) => void): Beside {
  return async (tx, essentials, asides) => {
    await Promise.all(essentials)
    for (const aside of asides) {
      try {
        await tx.apart(aside)
      } catch (error) {
        if (isTransient(error)) throw error
        onFault(error)
      }
    }
  }
}
