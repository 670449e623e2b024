// A registered application with everything a call needs, opened. It stays in this room.
import type { Database, Scope } from '../../db/index.ts'
import { TimedCache } from '../../lib/timed-cache.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import type { Application, ApplicationFinder, PlainAuthentication, TemplateValues } from '../application.ts'
import type { Connection } from '../connection.ts'
import { findConnection, listByShortName, type StoredConnection, type StoredTokens } from '../store.ts'
import { chooseAuthentication } from './authentication.ts'
import { secretValues } from './mask-secrets.ts'
import { type CredentialValues, withDefaults } from './read-credentials.ts'
import { mustBeGivenAgain } from './withdrawn.ts'

export type Tokens = { accessToken: string; refreshToken?: string | undefined }

export type HeldTokens = {
  generation: number
  /** Undefined until the first were obtained. */
  tokens: Tokens | undefined
  lifetimeMs: number | null
  /** By this process's clock; null when the provider did not say. */
  endsAtMs: number | null
}

/** What a call needs; also a candidate that is not stored yet is called through it. */
export type Callable = {
  application: Application
  authentication: PlainAuthentication
  values: TemplateValues
}

export type OpenedConnection = Callable & {
  scope: Scope
  connection: Connection
  held: HeldTokens
  /** The credentials were given before the application changed where they go: they are not used. */
  isWithdrawn: boolean
  secrets: readonly string[]
  /** The provider refused to renew the token, whether or not the one we have is at its end. */
  hasTokenFault: boolean
  faultedForMs: number | null
  unusedForMs: number
  /** By this process's clock: the target asked to be left alone until then. */
  quietUntilMs: number
}

type Deps = { database: Database; keyRing: KeyRing; catalog: ApplicationFinder }

// A change made elsewhere shows within this time; one made here shows at once.
const cacheMs = 300
const cacheEntriesMax = 5_000

export class OpenedConnections {
  readonly #deps: Deps
  readonly #byId = new TimedCache<OpenedConnection | undefined>(cacheMs, cacheEntriesMax)
  readonly #byName = new TimedCache<OpenedConnection[]>(cacheMs, cacheEntriesMax)
  /** What was handed out a moment ago and comes back with the call needs no second look. */
  readonly #handedOut = new WeakMap<Connection, { opened: OpenedConnection; at: number }>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  find(scope: Scope, id: string): Promise<OpenedConnection | undefined> {
    return this.#byId.get(`${scope.accountId} ${id}`, () => this.findFresh(scope, id))
  }

  /** For a connection that one of the others here gave. */
  findAgain(scope: Scope, connection: Connection): Promise<OpenedConnection | undefined> | OpenedConnection {
    const known = this.#handedOut.get(connection)
    const isFresh = known && known.at > performance.now() - cacheMs && known.opened.scope.accountId === scope.accountId
    return isFresh ? known.opened : this.find(scope, connection.id)
  }

  /** Authenticated ones only; at most two. */
  findByShortName(scope: Scope, shortName: string): Promise<OpenedConnection[]> {
    return this.#byName.get(`${scope.accountId} ${shortName.toLowerCase()}`, async () => {
      const stored = await listByShortName(this.#deps.database.forScope(scope), scope.accountId, shortName)
      const opened = await Promise.all(stored.map((row) => this.open(row)))
      return opened.filter((one) => one !== undefined)
    })
  }

  async findFresh(scope: Scope, id: string): Promise<OpenedConnection | undefined> {
    const stored = await findConnection(this.#deps.database.forScope(scope), scope.accountId, id)
    return stored && this.open(stored)
  }

  /** Undefined when the application has left the catalogue. */
  async open(stored: StoredConnection): Promise<OpenedConnection | undefined> {
    const { accountId, organizationId } = stored
    const [application, values, held] = await Promise.all([
      this.#deps.catalog.findApplication(organizationId, stored.applicationId),
      openCredentials(this.#deps.keyRing, accountId, stored.id, stored.sealedCredentials),
      openTokens(this.#deps.keyRing, accountId, stored.id, stored.tokens),
    ])
    if (!application) return undefined
    const all = withDefaults(application, values)
    const isWithdrawn = isStale(stored, application)
    // Whatever is called with a connection whose application moved on has nothing to give away.
    const usable = isWithdrawn ? withDefaults(application, {}) : all
    const opened: OpenedConnection = {
      scope: { accountId, organizationId },
      connection: isWithdrawn ? toWithdrawn(stored) : toConnection(stored),
      application,
      authentication: chooseAuthentication(application, usable),
      values: usable,
      held: isWithdrawn ? { ...held, tokens: undefined } : held,
      isWithdrawn,
      secrets: secretValues(application, all, tokenTexts(held.tokens)),
      hasTokenFault: stored.hasTokenFault,
      faultedForMs: stored.faultedForMs,
      unusedForMs: stored.unusedForMs,
      quietUntilMs: Date.now() + (stored.quietForMs ?? 0),
    }
    this.#handedOut.set(opened.connection, { opened, at: performance.now() })
    return opened
  }

  forget({ scope, connection }: { scope: Scope; connection: Pick<Connection, 'id' | 'shortName'> }): void {
    // Whoever still holds the connection reads it anew.
    if ('applicationId' in connection) this.#handedOut.delete(connection as Connection)
    this.#byId.forget(`${scope.accountId} ${connection.id}`)
    this.#byName.forget(`${scope.accountId} ${connection.shortName.toLowerCase()}`)
  }
}

export function toConnection(stored: StoredConnection): Connection {
  return {
    id: stored.id,
    applicationId: stored.applicationId,
    shortName: stored.shortName,
    name: stored.name,
    tagText: stored.tagText,
    isAuthenticated: stored.isAuthenticated,
    isFaulted: stored.faultMessage !== null,
    faultMessage: stored.faultMessage,
  }
}

export function isStale(stored: Pick<StoredConnection, 'credentialEpoch'>, application: Application): boolean {
  return stored.credentialEpoch !== (application.credentialEpoch ?? 0)
}

function toWithdrawn(stored: StoredConnection): Connection {
  const faultMessage = mustBeGivenAgain(stored.shortName)
  return { ...toConnection(stored), isAuthenticated: false, isFaulted: true, faultMessage }
}

/** Credentials that may still be used: none where the application changed since they were given. */
export async function usableCredentials(
  keyRing: KeyRing,
  stored: StoredConnection,
  application: Application,
): Promise<CredentialValues> {
  if (isStale(stored, application)) return {}
  return openCredentials(keyRing, stored.accountId, stored.id, stored.sealedCredentials)
}

export function tokenTexts(tokens: Tokens | undefined): string[] {
  return [tokens?.accessToken, tokens?.refreshToken].filter((text) => text !== undefined)
}

function credentialsPlace(accountId: string, id: string): Place {
  return { table: 'registered_applications', column: 'sealed_credentials', rowId: id, accountId }
}

export function sealCredentials(
  keyRing: KeyRing,
  accountId: string,
  id: string,
  values: CredentialValues,
): Promise<Buffer> {
  return keyRing.seal(credentialsPlace(accountId, id), Buffer.from(JSON.stringify(values)))
}

async function openCredentials(
  keyRing: KeyRing,
  accountId: string,
  id: string,
  sealed: Buffer,
): Promise<CredentialValues> {
  return JSON.parse((await keyRing.open(credentialsPlace(accountId, id), sealed)).toString())
}

function tokensPlace(accountId: string, id: string): Place {
  return { table: 'connection_tokens', column: 'sealed_tokens', rowId: id, accountId }
}

export function sealTokens(keyRing: KeyRing, accountId: string, id: string, tokens: Tokens): Promise<Buffer> {
  return keyRing.seal(tokensPlace(accountId, id), Buffer.from(JSON.stringify(tokens)))
}

export async function openTokens(
  keyRing: KeyRing,
  accountId: string,
  id: string,
  stored: StoredTokens | undefined,
): Promise<HeldTokens> {
  if (!stored) return { generation: 0, tokens: undefined, lifetimeMs: null, endsAtMs: null }
  const sealed = stored.sealed
  return {
    generation: stored.generation,
    tokens:
      sealed === null ? undefined : JSON.parse((await keyRing.open(tokensPlace(accountId, id), sealed)).toString()),
    lifetimeMs: stored.lifetimeMs,
    endsAtMs: stored.leftMs === null ? null : Date.now() + stored.leftMs,
  }
}
