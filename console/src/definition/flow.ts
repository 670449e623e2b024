// When and how often a block runs, in words: for the badges on the canvas and the lines of the panel.
import type { flowFieldNames } from '@patchbay/sdk'
import type { Answer } from '../api.ts'

export type FlowBadge = {
  kind: 'condition' | 'join' | 'handler' | 'items' | 'subWorkflow' | 'wait' | 'retry' | 'continue'
  words: string
}

type Flow = Partial<Pick<Answer<'Workflow'>['chain'][number], (typeof flowFieldNames)[number]>>

export function badgesOf({ runWhen, needs, forEach, subWorkflow, wait, retry, onError }: Flow): FlowBadge[] {
  const badges: (FlowBadge | false)[] = [
    needs === 'failed' && { kind: 'handler', words: 'Runs when a source failed' },
    needs === 'any' && { kind: 'join', words: 'Runs when any source has a result' },
    Boolean(runWhen) && { kind: 'condition', words: `Only if ${runWhen}` },
    Boolean(forEach) && { kind: 'items', words: itemsWords(forEach) },
    Boolean(subWorkflow) && { kind: 'subWorkflow', words: 'Runs another workflow' },
    Boolean(wait) && { kind: 'wait', words: waitWords(wait) },
    Boolean(retry) && { kind: 'retry', words: `Up to ${retry?.times ?? 0} retries` },
    onError === 'continue' && { kind: 'continue', words: 'The run continues if it fails' },
  ]
  return badges.filter((badge) => badge !== false)
}

function itemsWords(forEach: Flow['forEach']): string {
  if (forEach?.sameItemsAs) return 'Once for each item of the block before'
  const batch = forEach?.batchSize ?? 1
  const atOnce = forEach?.concurrency ?? 1
  const each = batch > 1 ? `Items in batches of ${batch}` : 'Once for each item'
  return atOnce > 1 ? `${each}, ${atOnce} at once` : each
}

function waitWords(wait: Flow['wait']): string {
  if (wait?.approval) return 'Waits for an approval'
  if (wait?.events) return `Waits for ${wait.events.join(' or ')}`
  if (wait?.until) return `Waits until ${wait.until}`
  return typeof wait?.seconds === 'number' ? `Waits ${wait.seconds} seconds` : 'Waits'
}
