// Times are relative to now, exact on hover, in the zone of the person who reads them.
import { useEffect, useState } from 'react'
import { createStore, useStore } from './store.ts'
import { relativeTime } from './time-text.ts'

export { durationText, relativeTime } from './time-text.ts'

const now = createStore(Date.now())
setInterval(() => now.set(Date.now()), 10_000)

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
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
