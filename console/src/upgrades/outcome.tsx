// Words, shapes and colours of what becomes of a workflow in an upgrade, the same in tables, dots and filters.
import type { Answer } from '../api.ts'
import { Chip, type ChipShape, type ChipTone } from '../ui/chip.tsx'

export type PreviewItem = Answer<'TemplateUpgradePreview'>['items'][number]
export type PreviewOutcome = PreviewItem['outcome']
export type Upgrade = Answer<'GetTemplateUpgrade'>
export type UpgradeItem = Upgrade['items'][number]
export type UpgradeOutcome = UpgradeItem['outcome']

type Look = { word: string; tone: ChipTone; shape: ChipShape }

export const outcomeLooks: Record<PreviewOutcome | UpgradeOutcome, Look> = {
  clean: { word: 'Clean', tone: 'green', shape: 'check' },
  conflict: { word: 'Conflict', tone: 'amber', shape: 'bolt' },
  problem: { word: 'Problem', tone: 'red', shape: 'cross' },
  upToDate: { word: 'Up to date', tone: 'grey', shape: 'dot' },
  pending: { word: 'Pending', tone: 'grey', shape: 'ring' },
  upgraded: { word: 'Upgraded', tone: 'green', shape: 'check' },
  skipped: { word: 'Skipped', tone: 'grey', shape: 'square' },
  rolledBack: { word: 'Rolled back', tone: 'magenta', shape: 'bolt' },
}

export function OutcomeChip({ outcome }: { outcome: PreviewOutcome | UpgradeOutcome }) {
  const { word, tone, shape } = outcomeLooks[outcome]
  return (
    <Chip tone={tone} shape={shape}>
      {word}
    </Chip>
  )
}

export function ResolvedChip() {
  return (
    <Chip tone="blue" shape="check">
      Resolved
    </Chip>
  )
}

const stateLooks: Record<Upgrade['state'], Look> = {
  Running: { word: 'Running', tone: 'blue', shape: 'half' },
  Paused: { word: 'Paused', tone: 'amber', shape: 'bars' },
  Stopped: { word: 'Stopped', tone: 'red', shape: 'square' },
  Completed: { word: 'Completed', tone: 'green', shape: 'check' },
  RolledBack: { word: 'Rolled back', tone: 'magenta', shape: 'bolt' },
}

export function StateChip({ state }: { state: Upgrade['state'] }) {
  const { word, tone, shape } = stateLooks[state]
  return (
    <Chip tone={tone} shape={shape}>
      {word}
    </Chip>
  )
}
