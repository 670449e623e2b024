// Time to the right, one lane a block.

import { Mark } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { durationText } from '../ui/time.tsx'
import { lookOf } from './run-status.tsx'
import { axisTicks, type Lane, type Stretch } from './waterfall-lanes.ts'

export function Waterfall({
  lanes,
  totalMs,
  selectedId,
  onSelect,
}: {
  lanes: readonly Lane[]
  totalMs: number
  selectedId: string | undefined
  onSelect: (id: string) => void
}) {
  const scale = (ms: number) => `${(Math.min(ms, totalMs) / Math.max(totalMs, 1)) * 100}%`
  return (
    <div className="overflow-hidden">
      <div className="flex h-7 items-center border-b border-line text-label text-faint" aria-hidden>
        <span className="w-56 shrink-0 px-4 max-sm:w-36">Block</span>
        <div className="relative mr-20 h-full flex-1">
          {axisTicks(totalMs).map((tick) => (
            <span
              key={tick}
              className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap font-mono max-sm:even:hidden text-[11px] leading-4 first:translate-x-0"
              style={{ left: scale(tick) }}
            >
              {durationText(tick)}
            </span>
          ))}
        </div>
      </div>
      <ul className="py-1">
        {lanes.map((lane) => (
          <li key={lane.id}>
            <button
              type="button"
              aria-pressed={lane.id === selectedId}
              onClick={() => onSelect(lane.id)}
              className={classNames(
                'flex h-8 w-full items-center text-left text-table -outline-offset-2',
                lane.id === selectedId ? 'bg-accent-soft' : 'hover:bg-raised',
              )}
            >
              <span className="flex w-56 shrink-0 items-center gap-2 px-4 max-sm:w-36">
                <span style={{ color: `var(--${lookOf(lane.status).tone})` }}>
                  <Mark shape={lookOf(lane.status).shape} />
                </span>
                <span className="min-w-0 truncate">{lane.name}</span>
                <span className="sr-only">{lane.status}</span>
              </span>
              <span className="relative h-full flex-1">
                {lane.stretches.map((stretch, index) => (
                  <Bar
                    // biome-ignore lint/suspicious/noArrayIndexKey: stretches keep their order for the life of a run.
                    key={index}
                    stretch={stretch}
                    left={scale(stretch.fromMs)}
                    width={scale(stretch.toMs - stretch.fromMs)}
                    tone={lookOf(lane.status).tone}
                  />
                ))}
              </span>
              <span className="w-20 shrink-0 pr-4 text-right font-mono text-label text-muted tabular-nums">
                {lane.durationMs === undefined ? '' : durationText(lane.durationMs)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Legend />
    </div>
  )
}

const hatched = 'bg-[repeating-linear-gradient(135deg,var(--line-strong)_0_2px,transparent_2px_5px)]'

function Legend() {
  return (
    <p className="flex flex-wrap gap-4 border-t border-line px-4 py-1.5 text-label text-muted" aria-hidden>
      <span className="flex items-center gap-1.5">
        <i className={classNames('h-2 w-5 rounded-sm', hatched)} /> waiting
      </span>
      <span className="flex items-center gap-1.5">
        <i className="h-2 w-5 rounded-sm bg-green opacity-70" /> script
      </span>
      <span className="flex items-center gap-1.5">
        <i className="relative h-2 w-5 rounded-sm bg-green opacity-70 after:absolute after:inset-x-1 after:top-[3px] after:h-0.5 after:rounded-full after:bg-panel" />{' '}
        call
      </span>
    </p>
  )
}

function Bar({ stretch, left, width, tone }: { stretch: Stretch; left: string; width: string; tone: string }) {
  const title = `${stretch.label}, ${durationText(stretch.toMs - stretch.fromMs)}`
  if (stretch.kind === 'waiting')
    return <i title={title} className={classNames('absolute top-3 h-2', hatched)} style={{ left, width }} />
  if (stretch.kind === 'call')
    return (
      <i title={title} className="absolute top-[15px] h-0.5 min-w-1 rounded-full bg-panel" style={{ left, width }} />
    )
  return (
    <i
      title={title}
      className="absolute top-2 h-4 min-w-0.5 rounded-sm"
      style={{ left, width, background: `color-mix(in srgb, var(--${tone}) 78%, var(--panel))` }}
    />
  )
}
