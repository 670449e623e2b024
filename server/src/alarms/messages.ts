// What was expected, and what was seen.

import type { Usual } from '../engine/usual.ts'
import { counted } from '../lib/counted.ts'
import type { Expectation } from './expectation.ts'

const time = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const items = (count: number) => counted(count, 'item')

export function explainSilence({ kind, hours, lastSeenAt, hasBeenSeen }: Expectation): string {
  const [what, one] = kind === 'succeedsWithin' ? ['a successful run', 'run'] : ['a webhook request', 'request']
  const seen = hasBeenSeen
    ? `The last ${kind === 'succeedsWithin' ? 'successful ' : ''}${one} was at ${time(lastSeenAt)}.`
    : `There has been none since ${time(lastSeenAt)}.`
  return `Expected ${what} at least every ${counted(hours ?? 0, 'hour')}. ${seen}`
}

type Seen = { blockName: string; runNumber: number; count: number }

export function explainItems({ min, max }: Expectation, { blockName, runNumber, count }: Seen): string {
  const range =
    min === null ? `at most ${items(max ?? 0)}` : max === null ? `at least ${items(min)}` : `${min} to ${items(max)}`
  return `Expected "${blockName}" to return ${range}. Run ${runNumber} returned ${items(count)}.`
}

export function explainUnusual({ median, lowest, highest }: Usual, { blockName, runNumber, count }: Seen): string {
  const usual = `about ${items(Math.round(median))} (${lowest} to ${highest}), as usual at this time of the week`
  return `Expected "${blockName}" to return ${usual}. Run ${runNumber} returned ${items(count)}.`
}
