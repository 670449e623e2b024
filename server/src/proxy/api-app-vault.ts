import { scopeOf } from '../access/index.ts'
import type { Connections } from '../connections/index.ts'
import type { Call } from '../http/index.ts'
import { findChosen } from './chosen-instance.ts'

export async function apiAppVault(connections: Connections, { principal, query, exchange }: Call<'ApiAppVault'>) {
  const connection = await findChosen(connections, principal, query.shortName, exchange)
  return connections.describeValues(scopeOf(principal), connection)
}
