// Who renews a token, and what became of it. Every statement stands alone: no transaction is held over the call to the provider.
import { type Queryable, sql, violatedConstraint } from '../../db/index.ts'
import type { StoredTokens } from '../store.ts'

export type Failure = { message: string; isFinal: boolean }

export type RenewalState = StoredTokens & {
  /** This caller holds the lease now and is the one to ask the provider. */
  isClaimed: boolean
  /** Somebody else holds it. */
  isBusy: boolean
  /** The last attempt failed so short a time ago that it is not worth another. */
  failure: Failure | undefined
}

type Row = {
  generation: number
  sealed_tokens: Buffer | null
  lifetime_ms: number | null
  left_ms: number | null
  is_claimed: boolean
  is_busy: boolean
  failure_message: string | null
  failure_is_final: boolean | null
}

/** Takes the lease if the generation is still the one seen, nobody else holds it, and the last failure has cooled down. */
export async function claimRenewal(
  db: Queryable,
  accountId: string,
  id: string,
  claim: { seenGeneration: number; leaseId: string; leaseMs: number; coolDownMs: number; finalCoolDownMs: number },
): Promise<RenewalState | undefined> {
  const { rows } = await db.query<Row>(sql`
    with claimed as (
      update connection_tokens set lease_id = ${claim.leaseId}, lease_until = now() + ${claim.leaseMs}::float8 * interval '1 millisecond'
      where account_id = ${accountId} and registered_application_id = ${id} and generation = ${claim.seenGeneration}
        and (lease_until is null or lease_until < now() or lease_until > now() + 2 * ${claim.leaseMs}::float8 * interval '1 millisecond')
        and (failed_at is null or failed_at < now()
          - case when failure_is_final then ${claim.finalCoolDownMs}::float8 else ${claim.coolDownMs}::float8 end * interval '1 millisecond')
      returning 1)
    select generation, sealed_tokens, (extract(epoch from expires_at - obtained_at) * 1000)::float8 as lifetime_ms,
      (extract(epoch from expires_at - now()) * 1000)::float8 as left_ms,
      exists (select from claimed) as is_claimed, coalesce(lease_until > now(), false) as is_busy,
      failure_message, failure_is_final
    from connection_tokens where account_id = ${accountId} and registered_application_id = ${id}`)
  const row = rows[0]
  if (!row) return undefined
  return {
    generation: row.generation,
    sealed: row.sealed_tokens,
    lifetimeMs: row.lifetime_ms,
    leftMs: row.left_ms,
    isClaimed: row.is_claimed,
    isBusy: row.is_busy && !row.is_claimed,
    failure:
      row.failure_message === null || row.is_claimed
        ? undefined
        : { message: row.failure_message, isFinal: row.failure_is_final ?? false },
  }
}

/** Undefined when the generation has passed: somebody else wrote first, and theirs is the token to use. */
export async function writeTokens(
  db: Queryable,
  accountId: string,
  id: string,
  write: { seenGeneration: number; sealed: Buffer; expiresInSeconds: number | null },
): Promise<StoredTokens | undefined> {
  const { rows } = await db.query<{ generation: number }>(sql`
    update connection_tokens set generation = generation + 1, sealed_tokens = ${write.sealed}, obtained_at = now(),
      expires_at = now() + ${write.expiresInSeconds}::float8 * interval '1 second', lease_id = null, lease_until = null,
      failed_at = null, failure_message = null, failure_is_final = null
    where account_id = ${accountId} and registered_application_id = ${id} and generation = ${write.seenGeneration}
    returning generation`)
  const lifetimeMs = write.expiresInSeconds === null ? null : write.expiresInSeconds * 1000
  return rows[0] && { generation: rows[0].generation, sealed: write.sealed, lifetimeMs, leftMs: lifetimeMs }
}

/** False when the lease was lost to somebody else, who now decides. */
export async function writeFailure(
  db: Queryable,
  accountId: string,
  id: string,
  write: { seenGeneration: number; leaseId: string; failure: Failure },
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update connection_tokens set lease_id = null, lease_until = null, failed_at = now(), failure_message = ${write.failure.message},
      failure_is_final = ${write.failure.isFinal}
    where account_id = ${accountId} and registered_application_id = ${id} and generation = ${write.seenGeneration}
      and lease_id = ${write.leaseId}`)
  return rowCount > 0
}

/** The tokens of new credentials take the place of whatever was there; a renewal under way for the old ones loses. */
export async function replaceTokens(
  tx: Queryable,
  accountId: string,
  id: string,
  tokens: { sealed: Buffer; expiresInSeconds: number | null } | undefined,
): Promise<void> {
  await tx.query(sql`
    insert into connection_tokens (registered_application_id, account_id, generation, sealed_tokens, obtained_at, expires_at)
    values (${id}, ${accountId}, 1, ${tokens?.sealed ?? null}, now(), now() + ${tokens?.expiresInSeconds ?? null}::float8 * interval '1 second')
    on conflict (registered_application_id) do update set generation = connection_tokens.generation + 1,
      sealed_tokens = excluded.sealed_tokens, obtained_at = excluded.obtained_at, expires_at = excluded.expires_at,
      lease_id = null, lease_until = null, failed_at = null, failure_message = null, failure_is_final = null`)
}

/** Connections made before their application asked for tokens have no row yet. False when the connection is gone. */
export async function ensureTokenRow(db: Queryable, accountId: string, id: string): Promise<boolean> {
  try {
    await db.query(sql`
      insert into connection_tokens (registered_application_id, account_id) values (${id}, ${accountId}) on conflict do nothing`)
    return true
  } catch (error) {
    if (violatedConstraint(error) === undefined) throw error
    return false
  }
}
