/** When the database was asked for its time, what it said, and when that arrived. Our own times are those of a clock that is never set. */
export type ClockReading = { askedMs: number; databaseMs: number; answeredMs: number }

/** Clocks are corrected by small steps all the time. */
const stepMsMin = 2000
/** A reading that took longer says little about when it was made: others are compared with it only where it shows more than the last exact one. */
const exactMsMax = 1000

/**
 * Whether another clock was set back between two looks at it. It was read at some moment between question and answer, and on a busy machine or
 * network these lie seconds apart; only what no such delay can explain counts.
 */
export class ClockComparison {
  /** By how much the other clock was ahead of ours, at least. */
  #aheadMs = Number.NEGATIVE_INFINITY

  /** By how much it was set back since the looks before, at least; 0 for nothing worth a word. */
  compare({ askedMs, databaseMs, answeredMs }: ClockReading): number {
    const aheadMs = databaseMs - answeredMs
    const backMs = this.#aheadMs - (databaseMs - askedMs)
    const wasSetBack = backMs >= stepMsMin
    const isExact = answeredMs - askedMs <= exactMsMax
    this.#aheadMs = wasSetBack || isExact ? aheadMs : Math.max(this.#aheadMs, aheadMs)
    return wasSetBack ? backMs : 0
  }
}
