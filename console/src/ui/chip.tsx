// A state is a shape, a word and a colour, in this order of importance: it holds in print and for the colour-blind.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type ChipTone = 'green' | 'red' | 'blue' | 'amber' | 'magenta' | 'grey'
export type ChipShape = 'check' | 'cross' | 'half' | 'ring' | 'square' | 'bars' | 'bolt' | 'dot'

const texts: Record<ChipTone, string> = {
  green: 'text-green',
  red: 'text-red',
  blue: 'text-blue',
  amber: 'text-amber',
  magenta: 'text-magenta',
  grey: 'text-grey',
}
const grounds: Record<ChipTone, string> = {
  green: 'bg-green-soft',
  red: 'bg-red-soft',
  blue: 'bg-blue-soft',
  amber: 'bg-amber-soft',
  magenta: 'bg-magenta-soft',
  grey: 'bg-grey-soft',
}

export function Chip({ tone, shape, children }: { tone: ChipTone; shape?: ChipShape; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center gap-1 rounded-full px-2 text-label font-medium whitespace-nowrap',
        texts[tone],
        grounds[tone],
      )}
    >
      {shape && <Mark shape={shape} />}
      {children}
    </span>
  )
}

/** The same without its ground, for tables that are dense already. */
export function StateText({ tone, shape, children }: { tone: ChipTone; shape: ChipShape; children: ReactNode }) {
  return (
    <span className={classNames('inline-flex items-center gap-1.5 whitespace-nowrap', texts[tone])}>
      <Mark shape={shape} />
      <span className="font-medium">{children}</span>
    </span>
  )
}

export function Mark({ shape, size = 12 }: { shape: ChipShape; size?: number }) {
  return (
    <svg
      viewBox="0 0 12 12"
      width={size}
      height={size}
      aria-hidden="true"
      className={classNames('shrink-0', shape === 'half' && 'turning')}
    >
      {marks[shape]}
    </svg>
  )
}

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.75,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const
const marks: Record<ChipShape, ReactNode> = {
  check: <path d="M2.5 6.5 5 9l4.5-6" {...line} />,
  cross: <path d="m3 3 6 6m0-6-6 6" {...line} />,
  half: (
    <>
      <circle cx="6" cy="6" r="4.25" {...line} strokeWidth={1.5} opacity={0.35} />
      <path d="M6 1.75A4.25 4.25 0 0 1 10.25 6" {...line} />
    </>
  ),
  ring: <circle cx="6" cy="6" r="4" {...line} strokeWidth={1.5} />,
  square: <rect x="2.5" y="2.5" width="7" height="7" rx="1" fill="currentColor" />,
  bars: <path d="M4 2.75v6.5m4-6.5v6.5" {...line} strokeWidth={2} />,
  bolt: <path d="M6.75 1.25 2.75 7h3l-.5 3.75L9.25 5h-3z" fill="currentColor" />,
  dot: <circle cx="6" cy="6" r="3" fill="currentColor" />,
}
