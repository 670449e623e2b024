/** What the database's clock shows, in its own milliseconds, and when we asked for it, by a clock of ours that is never set. */
export type ClockLook = { askedMs: number; databaseMs: number; answeredMs: number }

/** Clocks are corrected by small steps all the time. */
const backMsMin = 2000
const aheadMsMin = 5000

/**
 * By how much the clock jumped: negative when it was set back, 0 for nothing worth a word. `seenMs` is the latest time that any process saw on it:
 * once one of them has noticed a jump, the others find a time that fits. `before` is our own last look; time in which nobody looked is no jump
 * ahead, so without one there is none to be seen. However slow question and answer were, a jump is only what they cannot explain.
 */
export function judgeJump(
  look: ClockLook,
  { seenMs, before }: { seenMs: number; before: ClockLook | undefined },
): number {
  const backMs = seenMs - look.databaseMs
  if (backMs >= backMsMin) return -backMs
  if (before === undefined) return 0
  const passedMsMax = look.answeredMs - before.askedMs
  const aheadMs = Math.min(look.databaseMs - before.databaseMs - passedMsMax, look.databaseMs - seenMs)
  return aheadMs >= aheadMsMin ? aheadMs : 0
}
