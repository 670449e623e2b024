import type { Catalog } from '../catalog/index.ts'
import type { HandlersOf } from '../http/index.ts'

export function functionRoutes({ catalog }: { catalog: Catalog }): HandlersOf<'GetFunctions'> {
  return {
    GetFunctions: ({ principal }) => catalog.listFunctions(principal.account.organizationId),
  }
}
