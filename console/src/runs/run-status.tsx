// The words for states, their shapes and colours, the same on every page.
import { Chip, type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'

type Look = { tone: ChipTone; shape: ChipShape }

const looks: Record<string, Look> = {
  Ready: { tone: 'green', shape: 'check' },
  Done: { tone: 'green', shape: 'check' },
  Error: { tone: 'red', shape: 'cross' },
  Failed: { tone: 'red', shape: 'cross' },
  Processing: { tone: 'blue', shape: 'half' },
  Stopping: { tone: 'blue', shape: 'half' },
  Pending: { tone: 'grey', shape: 'ring' },
  Skipped: { tone: 'grey', shape: 'square' },
  Stopped: { tone: 'grey', shape: 'square' },
  Paused: { tone: 'amber', shape: 'bars' },
  Faulted: { tone: 'magenta', shape: 'bolt' },
}

export function lookOf(status: string): Look {
  return looks[status] ?? { tone: 'grey', shape: 'dot' }
}

export function StatusChip({ status }: { status: string }) {
  return <Chip {...lookOf(status)}>{status}</Chip>
}

export function StatusText({ status }: { status: string }) {
  return <StateText {...lookOf(status)}>{status}</StateText>
}

export function isUnderWay(status: string | undefined | null): boolean {
  return status === 'Pending' || status === 'Processing' || status === 'Stopping'
}
