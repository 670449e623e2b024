// Bars over time, drawn as SVG: sharp in print and in both themes.
import type { Measure } from './measures.ts'
import type { Point } from './usage-sums.tsx'

const height = 180
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

export function UsageChart({ measure, points }: { measure: Measure; points: readonly Point[] }) {
  const highest = Math.max(1, ...points.map(({ value }) => value))
  const isStored = measure.id === 'storedBytes'
  const total = isStored ? (points.at(-1)?.value ?? 0) : points.reduce((sum, { value }) => sum + value, 0)
  const isByMonth = points.length <= 13
  const name = ({ start }: Point) => (isByMonth ? month : day).format(start)
  return (
    <figure>
      <figcaption className="mb-4 flex items-baseline gap-3">
        <span className="text-title font-semibold tabular-nums">{measure.text(total)}</span>
        <span className="text-muted">
          {measure.label} · {isStored ? 'now' : 'in total'}
        </span>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
        <div
          aria-hidden
          className="flex flex-col justify-between text-right text-label text-faint tabular-nums"
          style={{ height }}
        >
          <span>{measure.text(highest)}</span>
          <span>0</span>
        </div>
        <div
          role="img"
          aria-label={`${measure.label} over time: ${measure.text(total)} ${isStored ? 'now' : 'in total'}, at most ${measure.text(highest)} per ${isByMonth ? 'month' : 'day'}`}
          className="flex items-end gap-px border-y border-line sm:gap-0.5"
          style={{ height }}
        >
          {points.map((point) => (
            <div
              key={point.start}
              title={`${name(point)}: ${measure.text(point.value)}`}
              className="group flex h-full min-w-0 flex-1 items-end hover:bg-raised"
            >
              <div
                className="w-full rounded-t-sm bg-accent-fill/80 group-hover:bg-accent-fill"
                style={{ height: point.value === 0 ? 0 : Math.max(2, (point.value / highest) * (height - 8)) }}
              />
            </div>
          ))}
        </div>
        <span />
        <div aria-hidden className="mt-1.5 flex justify-between text-label text-faint">
          {[points[0], points[Math.floor(points.length / 2)], points.at(-1)].map(
            (point) => point && <span key={point.start}>{name(point)}</span>,
          )}
        </div>
      </div>
    </figure>
  )
}
