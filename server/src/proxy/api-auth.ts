import { scopeOf } from '../access/index.ts'
import type { Connections } from '../connections/index.ts'
import type { Call } from '../http/index.ts'
import { invalid } from '../lib/app-error.ts'
import { findChosen } from './chosen-instance.ts'

export async function apiAuth(
  connections: Connections,
  { principal, query, exchange }: Call<'ApiAuth'>,
): Promise<string> {
  const connection = await findChosen(connections, principal, query.shortName, exchange)
  const token = await connections.tokenOf(scopeOf(principal), connection)
  if (token !== undefined) return token
  throw invalid(
    `The application ${connection.shortName} has no token or session: its credentials are sent with every call.`,
  )
}
