// How often a worker looks after a connection without being asked.
import { needsToken } from '../credentials/authentication.ts'
import type { Callable, OpenedConnection } from '../credentials/opened-connection.ts'
import { msUntilRenewal } from '../tokens/renew-token.ts'

/** Below a minute, so that a connection that stopped working is known as faulted within one. */
const probeMs = 40_000
const probeIdleMs = 3_600_000
const probeLongFaultedMs = 600_000
const idleAfterMs = 24 * 3_600_000
const longFaultedAfterMs = 3_600_000

/** A token is renewed this long before calls would have to wait for it. */
const renewAheadMsMax = 240_000

export function firstCheckInMs(to: Callable): number | null {
  return isProbed(to) || needsToken(to.authentication) ? probeMs : null
}

/** Null when there is nothing to look after. */
export function nextCheckInMs(opened: OpenedConnection): number | null {
  const probe = isProbed(opened) ? probeEveryMs(opened) : null
  const renewal = needsToken(opened.authentication) ? msUntilNextRenewal(opened) : null
  // A faulted token is tried again at the pace of probes, an endless one never.
  const known = [probe, opened.connection.isFaulted ? probeEveryMs(opened) : renewal].filter(
    (ms) => ms !== null && Number.isFinite(ms),
  ) as number[]
  return known.length === 0 ? null : Math.min(...known)
}

/** One that is overdue could not be renewed: its provider is away, and asked at the pace of probes. */
function msUntilNextRenewal(opened: OpenedConnection): number {
  const ms = msUntilEarlyRenewal(opened)
  return ms > 0 ? Math.max(1_000, ms) : probeEveryMs(opened)
}

export function msUntilEarlyRenewal({ held }: OpenedConnection): number {
  if (!held.tokens) return 0
  return msUntilRenewal(held) - Math.min(renewAheadMsMax, (held.lifetimeMs ?? 0) / 5)
}

/** Built-in targets cannot lose their access. */
export function isProbed({ application }: Callable): boolean {
  return application.testRequest !== undefined && (application.transport ?? 'http') === 'http'
}

function probeEveryMs({ connection, faultedForMs, unusedForMs }: OpenedConnection): number {
  if (connection.isFaulted && (faultedForMs ?? 0) > longFaultedAfterMs) return probeLongFaultedMs
  return unusedForMs > idleAfterMs ? probeIdleMs : probeMs
}
