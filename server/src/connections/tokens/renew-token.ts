// Tokens and their renewal. Some providers give a new refresh token at every use and take two uses of one for theft, so however many
// runs and processes find a token used up at the same moment, one of them asks:
//   fresh -> leased (one holds the lease and calls the provider; no lock is held meanwhile)
//         -> next generation, written before anyone uses it | failed (remembered for a while, so that nobody hammers the provider)
// A holder that dies loses its lease after `leaseMs`. Writes count only for the generation they were made from.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isTransient } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import { ownedBy } from '../../outbound/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { needsToken } from '../credentials/authentication.ts'
import { maskSecrets } from '../credentials/mask-secrets.ts'
import {
  type HeldTokens,
  type OpenedConnection,
  type OpenedConnections,
  openTokens,
  sealTokens,
  type Tokens,
} from '../credentials/opened-connection.ts'
import type { Faults } from '../faults/faults.ts'
import { obtainGrant } from './obtain-grant.ts'
import { type TokenDeps, TokenRefused } from './token-request.ts'
import { claimRenewal, ensureTokenRow, writeFailure, writeTokens } from './token-store.ts'

// Longer than a token request may take, pauses included.
const leaseMs = 60_000
const waitMsMax = 75_000
const coolDownMs = 3_000
const finalCoolDownMs = 60_000
const insistMsMax = 5 * 60_000

export type CurrentToken = { accessToken: string; generation: number }

export class TokenRenewal implements AsyncDisposable {
  readonly #deps: TokenDeps & { database: Database; keyRing: KeyRing; opened: OpenedConnections; faults: Faults }
  /** One renewal of a connection at a time in this process; the others wait for its result. */
  readonly #underWay = new Map<string, Promise<CurrentToken>>()
  #isStopping = false

  constructor(deps: TokenDeps & { database: Database; keyRing: KeyRing; opened: OpenedConnections; faults: Faults }) {
    this.#deps = deps
  }

  /** A provider that was asked may have made the old refresh token worthless: its answer is waited for, and nobody else is asked. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await Promise.allSettled(this.#underWay.values())
  }

  /** The token that a call shall carry. Throws AppError when there is none and none can be had. */
  async current(opened: OpenedConnection): Promise<CurrentToken> {
    const { held } = opened
    if (held.tokens && msUntilRenewal(held) > 0)
      return { accessToken: held.tokens.accessToken, generation: held.generation }
    return this.renew(opened, held.generation)
  }

  /** A token of a later generation than the one seen. */
  renew(opened: OpenedConnection, seenGeneration: number): Promise<CurrentToken> {
    const { id } = opened.connection
    const running = this.#underWay.get(id)
    if (running !== undefined) return running
    const renewal = this.#renew(opened, seenGeneration).finally(() => {
      this.#underWay.delete(id)
      this.#deps.opened.forget(opened)
    })
    this.#underWay.set(id, renewal)
    return renewal
  }

  async #renew(opened: OpenedConnection, seenGeneration: number): Promise<CurrentToken> {
    const { scope, connection } = opened
    const db = this.#deps.database.forScope(scope)
    const leaseId = newId()
    const claim = { seenGeneration, leaseId, leaseMs, coolDownMs, finalCoolDownMs }
    const giveUpAt = Date.now() + waitMsMax
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      if (this.#isStopping) throw new AppError('not_ready', 'The service is shutting down.')
      const state = await claimRenewal(db, scope.accountId, connection.id, claim)
      if (!state) {
        if (!(await ensureTokenRow(db, scope.accountId, connection.id))) throw notFound('registered application')
        continue
      }
      const held = await openTokens(this.#deps.keyRing, scope.accountId, connection.id, state)
      if (state.isClaimed) {
        const renewed = await this.#ask(opened, held, leaseId)
        if (renewed) return renewed
      } else if (state.generation > seenGeneration) {
        if (held.tokens) return { accessToken: held.tokens.accessToken, generation: held.generation }
        claim.seenGeneration = state.generation
      } else if (!state.isBusy && state.failure) {
        return this.#orStillGood(opened, held, new TokenRefused(state.failure.message, state.failure.isFinal))
      }
      if (Date.now() > giveUpAt) throw unavailable(connection, new TokenRefused('The provider does not answer.', false))
      await sleep(pauseMs)
    }
  }

  /** Undefined when somebody else decided in the meantime. */
  async #ask(opened: OpenedConnection, held: HeldTokens, leaseId: string): Promise<CurrentToken | undefined> {
    const { scope, connection } = opened
    const db = this.#deps.database.forScope(scope)
    const seenGeneration = held.generation
    try {
      const grant = await obtainGrant(
        { outbound: ownedBy(this.#deps.outbound, scope) },
        opened,
        held.tokens?.refreshToken,
      )
      const tokens: Tokens = {
        accessToken: grant.accessToken,
        refreshToken: grant.refreshToken ?? held.tokens?.refreshToken,
      }
      const sealed = await sealTokens(this.#deps.keyRing, scope.accountId, connection.id, tokens)
      const write = { seenGeneration, sealed, expiresInSeconds: grant.expiresInSeconds ?? null }
      // The old refresh token may be worthless by now: the new one must not be lost to a moment without a database.
      const written = await insist(() => writeTokens(db, scope.accountId, connection.id, write))
      if (!written) return undefined
      await this.#deps.faults.clear(opened, 'token')
      return { accessToken: tokens.accessToken, generation: written.generation }
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      const failure = { message: maskSecrets(error.message, opened.secrets).slice(0, 1000), isFinal: error.isFinal }
      const isOurs = await writeFailure(db, scope.accountId, connection.id, { seenGeneration, leaseId, failure })
      if (!isOurs) return undefined
      return this.#orStillGood(opened, held, new TokenRefused(failure.message, failure.isFinal, error))
    }
  }

  /** A provider that is away for a moment does no harm as long as the token we have is good. */
  async #orStillGood(opened: OpenedConnection, held: HeldTokens, refused: TokenRefused): Promise<CurrentToken> {
    const isStillGood = held.endsAtMs !== null && held.endsAtMs > Date.now()
    if (held.tokens && isStillGood && !refused.isFinal) {
      return { accessToken: held.tokens.accessToken, generation: held.generation }
    }
    // A token address that fails for now says nothing about the credentials: the next call asks again.
    if (!refused.isFinal) throw unavailable(opened.connection, refused)
    await this.#deps.faults.set(opened, 'token', refused.message)
    throw needed(opened.connection, refused.message, refused)
  }
}

/** Negative once it is time. A tenth of the life, and at most a minute, is left for the calls that carry it. */
export function msUntilRenewal(held: HeldTokens): number {
  if (held.endsAtMs === null) return Number.POSITIVE_INFINITY
  return held.endsAtMs - Date.now() - Math.min(60_000, (held.lifetimeMs ?? 0) / 10)
}

/** Whether calls carry a token at all. */
export function hasToken(opened: OpenedConnection): boolean {
  return needsToken(opened.authentication)
}

function needed(connection: { shortName: string }, message: string, cause?: unknown): AppError {
  return new AppError(
    'connection_faulted',
    `The registered application ${connection.shortName} is not authorized: ${message} Reconnect it.`,
    { cause },
  )
}

function unavailable(connection: { shortName: string }, refused: TokenRefused): AppError {
  return new AppError(
    'target_unreachable',
    `No token could be obtained for the registered application ${connection.shortName}: ${refused.message} Try again later.`,
    { cause: refused },
  )
}

/** A database that is away comes back: a failover may take longer than a call has. */
async function insist<Result>(write: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + insistMsMax
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (isTransient(error) ? performance.now() > giveUpAt : attempt >= 20) throw error
      await sleep(Math.min(attempt * 100, 2000))
    }
  }
}
