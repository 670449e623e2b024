// What is asked of one place in the same moment goes to the database together: at low load nobody waits for anything, at high load one round
// trip serves many.
import { isAway } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import { GroupCommit, type GroupCommitOptions } from '../lib/group-commit.ts'

/** The result, or the throw of what went wrong. */
type Outcome<Result> = () => Result

type Together<Item, Result> = (items: Item[]) => Promise<Result[]>

/** `together` serves items of one place, whoever brought them, and answers in their order. */
export function createGathering<Item, Result>(options: GroupCommitOptions<Item>) {
  const groups = new Map<string, GroupCommit<Item, Outcome<Result>>>()
  return async (place: string, item: Item, together: Together<Item, Result>): Promise<Result> => {
    const known = groups.get(place)
    const group = known ?? new GroupCommit((items: Item[]) => settle(items, together), options)
    const outcome = group.add(item)
    if (!known) {
      groups.set(place, group)
      void group.drain().then(() => groups.delete(place))
    }
    return (await outcome)()
  }
}

/** A throw makes the group try its items one by one, so that one does not spoil the rest; without a database they would only wait in line for it. */
async function settle<Item, Result>(items: Item[], together: Together<Item, Result>): Promise<Outcome<Result>[]> {
  try {
    return (await together(items)).map((result) => () => result)
  } catch (error) {
    if (items.length > 1 && isAboutAnItem(error)) throw error
    return items.map(() => () => {
      throw error
    })
  }
}

/** A refusal, or a statement that the database understood and did not accept; not a connection or a server that is away or became a standby. */
function isAboutAnItem(error: unknown): boolean {
  if (error instanceof AppError) return true
  const isFromServer = (error as { severity?: unknown }).severity !== undefined
  return isFromServer && !isAway(error)
}
