import { exactTime, useNow } from '../ui/time.tsx'

/** How long until something is due, second by second; its width does not jump. */
export function Countdown({ iso }: { iso: string }) {
  const now = useNow(true, 1000)
  const seconds = Math.ceil((Date.parse(iso) - now) / 1000)
  return (
    <time dateTime={iso} title={exactTime(iso)} className="inline-block min-w-14 tabular-nums">
      {seconds <= 0 ? <span className="text-muted">now</span> : `in ${clockText(seconds)}`}
    </time>
  )
}

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
