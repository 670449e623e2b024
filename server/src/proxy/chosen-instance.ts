// Which of several instances of an application a request means.
import { isGuid } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import type { Connection, Connections } from '../connections/index.ts'
import type { Exchange } from '../http/index.ts'
import { AppError, invalid, notFound } from '../lib/app-error.ts'

export async function findChosen(
  connections: Connections,
  principal: Principal,
  shortName: string | undefined,
  exchange: Exchange,
): Promise<Connection> {
  const scope = scopeOf(principal)
  const { regApplicationId } = chosenBy(exchange)
  if (shortName === undefined && regApplicationId === undefined) {
    throw new AppError('invalid_request', 'The query parameter shortName or the header AppKey is required.')
  }
  const found =
    shortName === undefined
      ? await connections.get(scope, regApplicationId as string)
      : await connections.find(scope, shortName, regApplicationId)
  if (!found) throw notFound('registered application')
  return found
}

/** The header AppKey holds the id of one of several instances. */
export function chosenBy(exchange: Exchange): { regApplicationId?: string } {
  const key = exchange.header('appkey')
  if (key === undefined || key === '') return {}
  if (!isGuid(key)) throw invalid('The header AppKey must be a GUID: the id of a registered application.')
  return { regApplicationId: key.toLowerCase() }
}
