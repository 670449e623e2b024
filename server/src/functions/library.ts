import type { Catalog, LibraryFunction } from '../catalog/index.ts'
import { TimedCache } from '../lib/timed-cache.ts'

// A run that starts within this time after an import may still see the functions from before it.
const lifeMs = 500
const organizationsMax = 1000

/** What scripts call as fx.*: for an organization the same array until its functions change, so that what is made from it can be kept. */
export type FunctionLibrary = { list(organizationId: string): Promise<LibraryFunction[]> }

export function createFunctionLibrary(catalog: Pick<Catalog, 'listFunctions'>): FunctionLibrary {
  const cache = new TimedCache<LibraryFunction[]>(lifeMs, organizationsMax)
  return {
    list: (organizationId) => cache.get(organizationId, () => catalog.listFunctions(organizationId)),
  }
}
