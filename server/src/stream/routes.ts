import { accountsInReach, type Principal, type Reach, reachOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import { type Exchange, type HandlersOf, LiveAnswer, sessionCookie } from '../http/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import type { StreamHub } from './hub.ts'
import { OpenStream } from './open-stream.ts'
import { findWorkflowInReach } from './store.ts'

export type StreamDeps = {
  database: Database
  hub: StreamHub
  /** Who the headers of a request belong to now; rejects when they are no longer good. */
  authenticate(exchange: Exchange): Promise<Principal>
}

export function streamRoutes(deps: StreamDeps): HandlersOf<'Stream'> {
  return {
    Stream: async ({ principal, query, exchange }) => {
      // Before anything is awaited: a reader may leave at any moment from now on.
      const slot = exchange.takeSlot('stream')
      exchange.onClose(() => slot.release())
      const reach = reachOf(principal, query.acrossAccounts)
      const after = readLastId(exchange.header('last-event-id'))
      const workflowId =
        query.workflowId === undefined ? undefined : await findWorkflow(deps.database, reach, query.workflowId)
      await deps.hub.prepare({ reach })
      const check = async (): Promise<Reach> => reachOf(await deps.authenticate(exchange), query.acrossAccounts)
      const credential = exchange.header('consumer') ?? exchange.cookie(sessionCookie)
      const rights = { key: `${credential} ${principal.address} ${JSON.stringify(reach)}`, check }
      return new LiveAnswer((response) => {
        const stream = new OpenStream({
          response,
          exchange,
          reach,
          rights,
          workflowId,
          isResumed: after !== undefined,
        })
        deps.hub.open(stream, after)
      })
    },
  }
}

/** As it is written in events, however the caller wrote it. */
async function findWorkflow(database: Database, reach: Reach, id: string): Promise<string> {
  const found = await findWorkflowInReach(database.system, accountsInReach(reach), id)
  if (found === undefined) throw notFound('workflow')
  return found
}

function readLastId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalid('The header Last-Event-ID must be an id of an event of this stream.')
  return Number(text)
}
