import { outcomeLooks, type Upgrade, type UpgradeOutcome } from './outcome.tsx'

const grounds: Record<UpgradeOutcome, string> = {
  upgraded: 'bg-green',
  upToDate: 'bg-grey',
  rolledBack: 'bg-magenta',
  conflict: 'bg-amber',
  problem: 'bg-red',
  skipped: 'bg-control',
  pending: 'bg-raised',
}

/** How far an upgrade is, as a bar; the words say it too. */
export function CountsBar({ counts }: { counts: Upgrade['counts'] }) {
  const parts = (Object.keys(grounds) as UpgradeOutcome[]).filter((outcome) => counts[outcome] > 0)
  const total = parts.reduce((sum, outcome) => sum + counts[outcome], 0)
  const words = parts.map((outcome) => `${counts[outcome].toLocaleString('en')} ${wordFor(outcome, counts[outcome])}`)
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="flex h-1.5 overflow-hidden rounded-full bg-raised" aria-hidden>
        {parts.map((outcome) => (
          <span key={outcome} className={grounds[outcome]} style={{ width: `${(counts[outcome] / total) * 100}%` }} />
        ))}
      </span>
      <span className="truncate text-label text-muted tabular-nums">{words.join(' · ') || 'None'}</span>
    </span>
  )
}

function wordFor(outcome: UpgradeOutcome, count: number): string {
  const isThing = outcome === 'conflict' || outcome === 'problem'
  return `${outcomeLooks[outcome].word.toLowerCase()}${isThing && count !== 1 ? 's' : ''}`
}
