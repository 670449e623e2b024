import { listSizeMax } from '@patchbay/contract'
import type { Catalog } from '../catalog/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { builtInFunctions } from './built-in.ts'

/** What scripts can call as fx.*. */
export async function listFunctionNames(
  catalog: Pick<Catalog, 'listFunctions'>,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const listed = await catalog.listFunctions(organizationId)
  return new Set([...listed, ...builtInFunctions].map(({ name }) => name))
}

export function functionRoutes({ catalog }: { catalog: Catalog }): HandlersOf<'GetFunctions'> {
  return {
    GetFunctions: async ({ principal }) => {
      const listed = await catalog.listFunctions(principal.account.organizationId)
      return [...listed.slice(0, listSizeMax - builtInFunctions.length), ...builtInFunctions]
    },
  }
}
