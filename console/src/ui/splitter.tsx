// Two areas side by side with a bar between them that is dragged, or moved with the arrow keys. The share is remembered.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'

const least = 25
const most = 75

export function Splitter({
  id,
  label,
  first,
  second,
  initial = 50,
}: {
  id: string
  label: string
  first: ReactNode
  second: ReactNode
  initial?: number
}) {
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
    if (box && event.currentTarget.hasPointerCapture(event.pointerId))
      set(((event.clientX - box.left) / box.width) * 100)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key]
    if (step !== undefined) set(share + step)
  }
  return (
    <div ref={area} className="flex min-h-0 flex-1 max-lg:flex-col">
      <div className="flex min-h-0 min-w-0 flex-col max-lg:h-80" style={{ flexBasis: `${share}%` }}>
        {first}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved, a separator can. */}
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={Math.round(share)}
        aria-valuemin={least}
        aria-valuemax={most}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKey}
        className="relative w-px shrink-0 cursor-col-resize touch-none bg-line before:absolute before:inset-y-0 before:-left-1 before:w-2.5 hover:bg-accent-fill focus-visible:bg-accent-fill max-lg:h-px max-lg:w-full max-lg:cursor-default"
      />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{second}</div>
    </div>
  )
}
