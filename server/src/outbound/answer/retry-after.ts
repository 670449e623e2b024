/** Reads how long a target asks to be left alone. */

/**
 * Milliseconds to wait, or undefined when the header is absent or unreadable. A date is compared with the target's own
 * clock where it sent one, so that two clocks that differ do not turn a second into an hour.
 */
export function readRetryAfterMs(
  retryAfter: string | undefined,
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const text = retryAfter?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // All date forms of HTTP begin with the name of a day, which keeps Date.parse from reading bare numbers as years.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined
  const untilMs = Date.parse(text)
  if (Number.isNaN(untilMs)) return undefined
  const targetNowMs = Date.parse(date ?? '')
  return Math.max(0, untilMs - (Number.isNaN(targetNowMs) ? nowMs : targetNowMs))
}
