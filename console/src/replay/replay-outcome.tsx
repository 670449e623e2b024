import type { Answer } from '../api.ts'
import { Chip, type ChipShape, type ChipTone } from '../ui/chip.tsx'

export type Replay = Answer<'Replay'>
export type ReplayedRun = Replay['runs'][number]
export type ReplayedBlock = ReplayedRun['blocks'][number]
export type ReplayOutcome = ReplayedRun['outcome']

export const replayLooks: Record<ReplayOutcome, { word: string; tone: ChipTone; shape: ChipShape }> = {
  same: { word: 'Same', tone: 'green', shape: 'check' },
  different: { word: 'Different', tone: 'amber', shape: 'bolt' },
  failed: { word: 'Fails', tone: 'red', shape: 'cross' },
  notReplayable: { word: 'Not replayable', tone: 'grey', shape: 'ring' },
}

export function ReplayChip({ outcome }: { outcome: ReplayOutcome }) {
  const { word, tone, shape } = replayLooks[outcome]
  return (
    <Chip tone={tone} shape={shape}>
      {word}
    </Chip>
  )
}
