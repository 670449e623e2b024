/** Refusals by the guard, for the operator's log. A caller may ask a thousand times a second: each target is told once in a while. */
import type { GuardRefusal } from './guard.ts'

const quietMs = 60_000
const targetsMax = 1_000

export function createRefusalLog(write: (refusal: GuardRefusal, sentence: string) => void) {
  const toldAt = new Map<string, number>()
  return (refusal: GuardRefusal): void => {
    const key = `${refusal.target} ${refusal.address}`
    const now = performance.now()
    if (now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return
    if (toldAt.size >= targetsMax) toldAt.clear()
    toldAt.set(key, now)
    const { target, reason, allowEntry } = refusal
    write(
      refusal,
      `Refused an outbound call to ${target}. ${reason} To allow it, add ${allowEntry} to PATCHBAY_EGRESS_ALLOW.`,
    )
  }
}
