// Waves as rows of dots that fill: one dot a workflow, in the order of its turn.
import { classNames } from '../ui/class-names.ts'
import { outcomeLooks, type UpgradeOutcome } from './outcome.tsx'

type Dot = { key: string; wave: number; outcome: UpgradeOutcome; title?: string }

/** A state is a shape before it is a colour, also at this size: rings wait, discs are done, squares were not done, diamonds went back. */
const shapes: Record<UpgradeOutcome, string> = {
  pending: 'rounded-full border border-control',
  upgraded: 'rounded-full bg-green',
  upToDate: 'rounded-full bg-grey',
  conflict: 'rounded-[2px] bg-amber',
  problem: 'rounded-[2px] bg-red',
  skipped: 'rounded-[2px] border border-control',
  rolledBack: 'rotate-45 rounded-[1px] bg-magenta',
}

export function WaveDots({ label, items }: { label: string; items: readonly Dot[] }) {
  const waves = new Map<number, Dot[]>()
  for (const item of items) waves.set(item.wave, [...(waves.get(item.wave) ?? []), item])
  return (
    <ol aria-label={label} className="flex max-h-56 flex-wrap gap-x-4 gap-y-3 overflow-y-auto">
      {[...waves].map(([wave, dots]) => (
        <li key={wave} aria-label={`Wave ${wave}: ${summary(dots)}`} className="flex min-w-0 flex-col gap-1">
          <span className="text-label text-faint tabular-nums" aria-hidden>
            Wave {wave}
          </span>
          <span className="flex flex-wrap gap-1" aria-hidden>
            {dots.map((dot) => (
              <span
                key={dot.key}
                title={dot.title}
                className={classNames('size-2.5 transition-colors duration-100', shapes[dot.outcome])}
              />
            ))}
          </span>
        </li>
      ))}
    </ol>
  )
}

function summary(dots: readonly Dot[]): string {
  const counts = new Map<UpgradeOutcome, number>()
  for (const { outcome } of dots) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} ${outcomeLooks[outcome].word.toLowerCase()}`).join(', ')
}
