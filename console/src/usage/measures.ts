import type { Answer } from '../api.ts'
import { byteText } from '../ui/byte-text.ts'
import { durationText } from '../ui/time.tsx'

export type UsageItem = Answer<'Usage'>['items'][number]
export type MeasureId = 'runs' | 'blocks' | 'calls' | 'webhooks' | 'mails' | 'scriptMs' | 'storedBytes'
export type Measure = { id: MeasureId; label: string; text: (value: number) => string }

const count = (value: number) => value.toLocaleString('en')

export const measures: readonly Measure[] = [
  { id: 'runs', label: 'Runs', text: count },
  { id: 'blocks', label: 'Blocks', text: count },
  { id: 'calls', label: 'Calls', text: count },
  { id: 'webhooks', label: 'Webhooks', text: count },
  { id: 'mails', label: 'E-mails', text: count },
  { id: 'scriptMs', label: 'Script time', text: durationText },
  { id: 'storedBytes', label: 'Stored', text: byteText },
]
