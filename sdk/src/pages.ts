// The items of a paged list, one after the other; the next page is asked for when the last item of this one was taken.
import { listSizeMax } from '@patchbay/contract/client-values'

type Page = Record<string, unknown>
type Search = { page?: number; size?: number }

/** Between a request for each few items and an answer that nobody reads to its end. */
const sizeDefault = 200

export async function* readPages<Item>(
  ask: (search: Search) => Promise<unknown>,
  given: Search = {},
): AsyncGenerator<Item> {
  const size = Math.min(given.size ?? sizeDefault, listSizeMax)
  for (let page = 0; ; page++) {
    const answer = (await ask({ ...given, page, size })) as Page
    const items = Object.values(answer).find(Array.isArray) as Item[]
    yield* items
    const isLast = typeof answer['isLast'] === 'boolean' ? answer['isLast'] : items.length < size
    if (isLast || items.length === 0) return
  }
}
