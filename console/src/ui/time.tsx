// Times are relative to now, exact on hover, in the zone of the person who reads them.
import { useEffect, useState } from 'react'
import { createStore, useStore } from './store.ts'

const now = createStore(Date.now())
setInterval(() => now.set(Date.now()), 10_000)

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
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

export function exactTime(iso: string): string {
  return exact.format(new Date(iso))
}

export function Time({ iso, fallback = '–' }: { iso: string | null | undefined; fallback?: string }) {
  const nowMs = useStore(now)
  if (!iso) return <span className="text-faint">{fallback}</span>
  return (
    <time dateTime={iso} title={`${exactTime(iso)} (${iso})`} className="whitespace-nowrap">
      {relativeTime(iso, nowMs)}
    </time>
  )
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
}

/** Milliseconds since the epoch, followed several times a second while something is under way. */
export function useNow(isLive: boolean, everyMs = 100): number {
  const [value, setValue] = useState(Date.now)
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => setValue(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [isLive, everyMs])
  return value
}
