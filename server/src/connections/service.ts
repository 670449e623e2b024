// The room as others see it.
import { maskedValue } from '@patchbay/contract'
import type { WithdrawCredentials } from '../catalog/index.ts'
import type { Database, Scope } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import type { Outbox } from '../mail/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { ApplicationFinder } from './application.ts'
import { type CallDeps, targetOf } from './call/call-target.ts'
import { send } from './call/send.ts'
import { nextCheckInMs } from './care/check-interval.ts'
import type { Connection, Connections } from './connection.ts'
import { type OpenedConnection, OpenedConnections, toConnection } from './credentials/opened-connection.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { withdrawCredentials } from './faults/withdraw-credentials.ts'
import { findWaiting, holdConnections, listConnections, noteUse } from './store.ts'
import { hasToken, TokenRenewal } from './tokens/renew-token.ts'

type Deps = CallDeps & {
  database: Database
  keyRing: KeyRing
  catalog: ApplicationFinder
  outbox: Outbox
  publish: PublishEvents
  baseUrl: () => string
  onFault: (error: unknown) => void
}

/** What the parts of this room share; made once a process. */
export type ConnectionRoom = Deps & {
  connections: Connections
  opened: OpenedConnections
  faults: Faults
  renewal: TokenRenewal
  withdrawCredentials: WithdrawCredentials
}

// A use is written down at most this often, per connection and process.
const noteEveryMs = 15_000

export function createConnections(deps: Deps): ConnectionRoom {
  const opened = new OpenedConnections(deps)
  const faults = createFaults({ ...deps, opened })
  const renewal = new TokenRenewal({ ...deps, opened, faults })
  const room = { ...deps, opened, faults, renewal }
  const notedAt = new Map<string, number>()

  const get = async (scope: Scope, connection: Connection): Promise<OpenedConnection> => {
    const found = await opened.findAgain(scope, connection)
    if (!found) throw notFound('registered application')
    return found
  }

  /** A successful call is as good as a probe, so the next one moves on. */
  const note = (used: OpenedConnection): void => {
    const { id } = used.connection
    const now = performance.now()
    if (now - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
    if (notedAt.size > 10_000) notedAt.clear()
    notedAt.set(id, now)
    const { scope } = used
    noteUse(deps.database.forScope(scope), scope.accountId, id, nextCheckInMs({ ...used, unusedForMs: 0 })).catch(
      deps.onFault,
    )
  }

  const withdraw: ConnectionRoom['withdrawCredentials'] = (tx, organizationId, application) =>
    withdrawCredentials(room, tx, organizationId, application)

  const connections: Connections = {
    async find(scope, shortName, regApplicationId) {
      if (regApplicationId !== undefined) return findChosen(room, scope, shortName, regApplicationId)
      const fitting = await opened.findByShortName(scope, shortName)
      if (fitting.length > 1) {
        throw new AppError(
          'application_ambiguous',
          `There are several registered applications ${shortName}. Name one of them by its id in the header AppKey.`,
        )
      }
      if (fitting[0]) return fitting[0].connection
      const waiting = await findWaiting(deps.database.forScope(scope), scope.accountId, shortName)
      if (waiting) throw notAuthenticated({ shortName, faultMessage: waiting.faultMessage })
      return undefined
    },
    get: async (scope, id) => (await opened.find(scope, id.toLowerCase()))?.connection,
    async send(scope, connection, request) {
      const used = await get(scope, connection)
      if (!used.connection.isAuthenticated) throw notAuthenticated(used.connection)
      const answer = await send(room, used, request)
      if (answer.statusCode < 400) note(used)
      return answer
    },
    async addressOf(scope, id, request) {
      const found = await opened.find(scope, id.toLowerCase())
      if (!found) return undefined
      const path = request.path.trim().replace(/^\/+/, '')
      return targetOf(found, request)?.url.href ?? `${found.application.shortName.toLowerCase()}:${path}`
    },
    list: async (scope, ids) => {
      const db = deps.database.forScope(scope)
      return ids.length === 0 ? [] : (await listConnections(db, scope.accountId, ids)).map(toConnection)
    },
    hold: holdConnections,
    async tokenOf(scope, connection) {
      const used = await get(scope, connection)
      if (!used.connection.isAuthenticated) throw notAuthenticated(used.connection)
      return hasToken(used) ? (await renewal.current(used)).accessToken : undefined
    },
    describeValues: async (scope, connection) => describe(await get(scope, connection)),
    async secretsOf(scope, ids) {
      const found = await Promise.all(ids.map((id) => opened.find(scope, id.toLowerCase())))
      return [...new Set(found.flatMap((one) => one?.secrets ?? []))]
    },
  }
  return { ...room, connections, withdrawCredentials: withdraw }
}

async function findChosen(
  room: { opened: OpenedConnections },
  scope: Scope,
  shortName: string,
  id: string,
): Promise<Connection | undefined> {
  const found = await room.opened.find(scope, id.toLowerCase())
  if (!found || found.connection.shortName.toLowerCase() !== shortName.toLowerCase()) return undefined
  if (!found.connection.isAuthenticated) throw notAuthenticated(found.connection)
  return found.connection
}

function describe({ application, values, held }: OpenedConnection): Record<string, string | number | boolean | null> {
  const stored = application.credentialFields.map((field) => {
    const value = values[field.ShortName] ?? null
    return [field.ShortName, field.Type === 'password' && value !== null ? maskedValue : value] as const
  })
  const tokens = held.tokens && {
    $accessToken: maskedValue,
    $refreshToken: held.tokens.refreshToken === undefined ? null : maskedValue,
    $expiresDateTimeUTC: held.endsAtMs === null ? null : new Date(held.endsAtMs).toISOString(),
  }
  return { ...Object.fromEntries(stored), ...tokens }
}

function notAuthenticated({ shortName, faultMessage }: Pick<Connection, 'shortName' | 'faultMessage'>): AppError {
  return new AppError(
    'application_not_authenticated',
    faultMessage ??
      `The registered application ${shortName} is not authorized yet. Open its authorization URL and grant access.`,
  )
}
