import type { Catalog, LibraryFunction } from '../catalog/index.ts'
import { TimedCache } from '../lib/timed-cache.ts'

// A run that starts within this time after an import may still see the functions from before it.
const lifeMs = 500
const organizationsMax = 1000
const workflowsMax = 10_000

/**
 * What scripts call as fx.*: the same array until the functions change, so that what is made from it can be kept. A deployed workflow
 * keeps the organization's functions as they were when it was deployed.
 */
export type FunctionLibrary = { list(organizationId: string, workflowId?: string): Promise<LibraryFunction[]> }

/** The stamp of the functions that a workflow was deployed with; null when it is not deployed. */
export type FunctionStampOf = (workflowId: string) => Promise<number | null>

export function createFunctionLibrary(
  catalog: Pick<Catalog, 'listFunctions' | 'listFunctionsAt' | 'functionStamp'>,
  stampOf: FunctionStampOf,
): FunctionLibrary {
  const newest = new TimedCache<{ list: LibraryFunction[]; stamp: number }>(lifeMs, organizationsMax)
  const stamps = new TimedCache<number | null>(lifeMs, workflowsMax)
  return {
    async list(organizationId, workflowId) {
      const { list, stamp } = await newest.get(organizationId, async () => ({
        stamp: await catalog.functionStamp(organizationId),
        list: await catalog.listFunctions(organizationId),
      }))
      // Most organizations never change a function of their own: nobody asks then what a workflow was deployed with.
      if (workflowId === undefined || stamp === 0) return list
      const deployedWith = await stamps.get(workflowId, () => stampOf(workflowId))
      return deployedWith === null || deployedWith >= stamp
        ? list
        : catalog.listFunctionsAt(organizationId, deployedWith)
    },
  }
}
