import type { FunctionLibrary } from '../../functions/index.ts'
import type { LibraryFunction } from '../../sandbox/index.ts'

/** The library in the form that script processes take. The same array stays the same array, so that it is sent to a process once. */
export function scriptLibrary(functions: FunctionLibrary) {
  const known = new WeakMap<object, readonly LibraryFunction[]>()
  return {
    async list(organizationId: string, workflowId?: string): Promise<readonly LibraryFunction[]> {
      const found = await functions.list(organizationId, workflowId)
      const made =
        known.get(found) ??
        found.map(({ name, isAsync, arguments: given, script }) => ({
          name,
          isAsync,
          arguments: Object.keys(given),
          script,
        }))
      known.set(found, made)
      return made
    },
  }
}
