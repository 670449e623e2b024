// What is told to addresses and by mail is told to streams as well, where it is one of their events.
import { streamEventNames } from '@patchbay/contract'
import type { PublishEvents } from '../events/index.ts'
import type { Announce, StreamEvent } from './stream-event.ts'

const names: ReadonlySet<string> = new Set(streamEventNames)

export function relayEvents(announce: Announce, publish: PublishEvents): PublishEvents {
  return async (tx, events) => {
    tx.afterCommit(() => {
      for (const { type, accountId, data } of events) {
        const told = names.has(type) ? (type as StreamEvent['type']) : asChange(type)
        const { workflowId, ...rest } = data
        if (told) announce({ type: told, accountId, workflowId: workflowId ?? null, data: rest })
      }
    })
    await publish(tx, events)
  }
}

/** Pausing is something that happens to a workflow. */
function asChange(type: string): StreamEvent['type'] | undefined {
  return type === 'workflow.paused' || type === 'workflow.resumed' ? 'workflow.changed' : undefined
}
