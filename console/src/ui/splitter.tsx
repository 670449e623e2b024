// Two areas with a bar between them that is dragged, or moved with the arrow keys. The share is remembered.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

const least = 20
const most = 80

type SplitterProps = {
  id: string
  label: string
  first: ReactNode
  second: ReactNode
  initial?: number
  /** One above the other instead of side by side. */
  isStacked?: boolean
}

export function Splitter({ id, label, first, second, initial = 50, isStacked = false }: SplitterProps) {
  const place = `patchbay.split.${id}`
  const [share, setShare] = useState(() => Number(localStorage.getItem(place)) || initial)
  const area = useRef<HTMLDivElement>(null)
  const set = (value: number) => {
    const next = Math.round(Math.max(least, Math.min(most, value)) * 10) / 10
    setShare(next)
    localStorage.setItem(place, String(next))
  }
  const drag = (event: PointerEvent<HTMLElement>) => {
    const box = area.current?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    const part = isStacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width
    set(part * 100)
  }
  const onKey = (event: KeyboardEvent) => {
    const [less, more] = isStacked ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
    const step = event.key === less ? -2 : event.key === more ? 2 : undefined
    if (step === undefined) return
    event.preventDefault()
    set(share + step)
  }
  return (
    <div ref={area} className={classNames('flex min-h-0 flex-1', isStacked ? 'flex-col' : 'max-lg:flex-col')}>
      <div
        className={classNames('flex min-h-0 min-w-0 flex-col', isStacked ? 'shrink-0' : 'max-lg:h-80')}
        style={{ flexBasis: `${share}%` }}
      >
        {first}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved, a separator can. */}
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation={isStacked ? 'horizontal' : 'vertical'}
        aria-valuenow={Math.round(share)}
        aria-valuemin={least}
        aria-valuemax={most}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKey}
        className={classNames(bar, isStacked ? stackedBar : sideBar)}
      />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{second}</div>
    </div>
  )
}

const bar = 'relative shrink-0 touch-none bg-line before:absolute hover:bg-accent-fill focus-visible:bg-accent-fill'
const stackedBar = 'h-px cursor-row-resize before:inset-x-0 before:-top-1 before:h-2.5'
const sideBar =
  'w-px cursor-col-resize before:inset-y-0 before:-left-1 before:w-2.5 max-lg:h-px max-lg:w-full max-lg:cursor-default'
