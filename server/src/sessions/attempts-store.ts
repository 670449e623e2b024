// Attempts to sign in, counted for all processes together. See attempts.ts for the rules.
import { createHash } from 'node:crypto'
import { type Queryable, sql } from '../db/index.ts'
import { networkOf } from '../lib/address-network.ts'
import {
  freeFailures,
  keyOf,
  lockAfterFailures,
  lockMinutes,
  perAddressAndMinute,
  perEmailAndMinute,
} from './attempts.ts'

export type Attempt = { waitSeconds: number; failures: number }

/** A wait refuses this attempt; without one it counts as failed until `forgiveAttempts`. */
export async function beginAttempt(db: Queryable, address: string, email: string, device?: string): Promise<Attempt> {
  const pair = hashOf('pair', keyOf(address, email, device))
  const rates =
    device === undefined
      ? [hashOf('address', networkOf(address)), hashOf('email', email.toLowerCase())]
      : [hashOf('device', device)]
  const waitSeconds = await findWait(db, pair, rates)
  if (waitSeconds > 0) return { waitSeconds, failures: 0 }
  // After a lock has passed, counting begins anew. The where keeps guesses of the same moment from passing together.
  const { rows } = await db.query<{ failures: number }>(sql`
    insert into sign_in_attempts as known (key, failures, blocked_until) values (${pair}, 1, now())
    on conflict (key) do update set
      failures = case when known.failures >= ${lockAfterFailures}::integer then 1 else known.failures + 1 end,
      blocked_until = now() + interval '1 second' * case
        when known.failures >= ${lockAfterFailures}::integer or known.failures + 1 <= ${freeFailures}::integer then 0
        when known.failures + 1 >= ${lockAfterFailures}::integer then ${lockMinutes * 60}::integer
        else power(2, known.failures - ${freeFailures}::integer) end
    where known.blocked_until <= now()
    returning failures`)
  const counted = rows[0]
  return counted ? { waitSeconds: 0, failures: counted.failures } : { waitSeconds: 1, failures: 0 }
}

export async function forgiveAttempts(db: Queryable, address: string, email: string, device?: string): Promise<void> {
  await db.query(sql`delete from sign_in_attempts where key = ${hashOf('pair', keyOf(address, email, device))}`)
}

/**
 * Seconds to wait: for the pair of e-mail and address, or because either is tried too often; or for a device, alone. What has passed is
 * forgotten on the way.
 */
async function findWait(db: Queryable, pair: Buffer, keys: readonly Buffer[]): Promise<number> {
  const bursts = keys.length === 2 ? [perAddressAndMinute, perEmailAndMinute] : [perEmailAndMinute]
  const { rows } = await db.query<{ blocked_seconds: number | null; counted: number }>(sql`
    with blocked as (
      select ceil(extract(epoch from blocked_until - now()))::integer as seconds
      from sign_in_attempts where key = ${pair} and blocked_until > now()
    ), wanted as (
      select key, burst from unnest(${keys}::bytea[], ${bursts}::float8[]) as w (key, burst)
      where not exists (select from blocked) order by key
    ), counted as (
      insert into sign_in_rates as r (key, attempts_left, counted_at) select key, burst - 1, now() from wanted
      on conflict (key) do update set counted_at = now(), attempts_left = -1 + least(excluded.attempts_left + 1,
        r.attempts_left + extract(epoch from now() - r.counted_at) * (excluded.attempts_left + 1) / 60)
      where least(excluded.attempts_left + 1,
        r.attempts_left + extract(epoch from now() - r.counted_at) * (excluded.attempts_left + 1) / 60) >= 1
      returning 1
    ), old_rates as (
      delete from sign_in_rates where counted_at < now() - interval '1 hour' and key <> all (${keys}::bytea[])
    ), old_attempts as (
      delete from sign_in_attempts where blocked_until < now() - interval '1 day' and key <> ${pair}
    )
    select (select seconds from blocked) as blocked_seconds, (select count(*) from counted) as counted`)
  const found = rows[0]
  if (found?.blocked_seconds) return found.blocked_seconds
  return found?.counted === keys.length ? 0 : 1
}

function hashOf(kind: string, text: string): Buffer {
  return createHash('sha256').update(`${kind} ${text}`).digest()
}
