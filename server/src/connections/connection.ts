// What other rooms may know of a registered application: never its credentials.
import type { Queryable, Scope } from '../db/index.ts'
import type { OutboundBody } from '../outbound/index.ts'

export type Connection = {
  readonly id: string
  readonly applicationId: string
  readonly shortName: string
  readonly name: string
  readonly tagText: string
  readonly isAuthenticated: boolean
  readonly isFaulted: boolean
  readonly faultMessage: string | null
}

export type ConnectionRequest = {
  method: string
  /** Below the base address and with its query, or a whole address on one of the application's hosts. */
  path: string
  /** Another base address, on one of the application's hosts. */
  baseUrl?: string
  headers?: Readonly<Record<string, string>>
  body?: OutboundBody
  idempotencyKey?: string
  /** Statuses that the caller asked for: as answers they say nothing against the connection. */
  acceptedCodes?: readonly number[]
  /** It is the application's own test request, so any refusal is one of the credentials. */
  isTestRequest?: boolean
  timeoutMs?: number
  signal?: AbortSignal
  /** Called before each wait for the target's sake with its length. */
  onPause?: (waitMs: number) => void
  /** Called when the answer is large: it counts against the account until `release` is called. */
  onHeld?: (release: () => void) => void
}

export type ConnectionAnswer = {
  statusCode: number
  /** Names in lower case; several values of one name are joined with a comma. */
  headers: Record<string, string>
  body: Buffer
  /** Where the answer came from, without credentials. */
  url: string
  pausedMs: number
  /** Where access was denied and the reason is known: what is missing and what to do, for people. */
  explanation?: string
}

/** A call that the target refused for lack of access. `values` are the stored ones, secrets included: they are not for telling. */
export type Denial = {
  shortName: string
  values: Readonly<Record<string, string | number | boolean | null | undefined>>
  token: string | undefined
  method: string
  statusCode: number
}

export type Connections = {
  /** Undefined when nothing authenticated fits; throws AppError 400 when several fit and no id chooses. */
  find(scope: Scope, shortName: string, regApplicationId?: string): Promise<Connection | undefined>
  /** Any of the account's, authenticated or not. */
  get(scope: Scope, regApplicationId: string): Promise<Connection | undefined>
  /**
   * Applies credentials, renews tokens, keeps the fault state, goes through the outbound client. Any status is an
   * answer; a call without one throws AppError.
   */
  send(scope: Scope, connection: Connection, request: ConnectionRequest): Promise<ConnectionAnswer>
  /** Where a request would go, without its credentials; nothing is sent. Undefined when the connection is gone. */
  addressOf(
    scope: Scope,
    regApplicationId: string,
    request: Pick<ConnectionRequest, 'path' | 'baseUrl'>,
  ): Promise<string | undefined>
  /** Those of the ids that are the account's. */
  list(scope: Scope, ids: readonly string[]): Promise<Connection[]>
  /** Keeps them from being deleted until the transaction ends. Returns those of the ids that have been deleted. */
  hold(tx: Queryable, accountId: string, ids: readonly string[]): Promise<string[]>
  /** The access token or session that calls carry at this moment; undefined where there is none. */
  tokenOf(scope: Scope, connection: Connection): Promise<string | undefined>
  /** Stored values, secrets masked. */
  describeValues(scope: Scope, connection: Connection): Promise<Record<string, string | number | boolean | null>>
  /** Every secret that calls through these connections may carry, for masking in logs, results and errors. */
  secretsOf(scope: Scope, ids: readonly string[]): Promise<string[]>
}
