// Times and durations in words.
const units: [string, number][] = [
  ['y', 365 * 86_400],
  ['mo', 30 * 86_400],
  ['w', 7 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
]

/** Short, as in a table: 8 min ago, in 2 h. */
export function relativeTime(iso: string, nowMs = Date.now()): string {
  const seconds = (Date.parse(iso) - nowMs) / 1000
  for (const [unit, size] of units) {
    if (Math.abs(seconds) < size) continue
    const count = `${Math.trunc(Math.abs(seconds) / size)} ${unit}`
    return seconds < 0 ? `${count} ago` : `in ${count}`
  }
  return seconds > 5 ? `in ${Math.round(seconds)} s` : 'just now'
}

/** Rounded before it is divided, so that nothing is ever "1 min 60 s". */
export function durationText(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`
  if (Math.round(ms / 10) < 1000) return `${(ms / 1000).toFixed(2)} s`
  if (Math.round(ms / 100) < 600) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(ms / 60_000)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
