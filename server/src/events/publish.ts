// An event is written in the transaction of what it tells about: it is handed on exactly when that happened, at least once.
// Everything that tells somebody of something goes through `publish`.
import type { EventName } from '@patchbay/contract'
import type { Tx } from '../db/index.ts'
import { insertEvents } from './event-store.ts'

/** What an event says besides the account, as far as it applies. */
export type EventData = {
  workflowId?: string
  workflowName?: string
  runNumber?: number
  runBy?: string
  status?: string
  webhookId?: string
  webhookIds?: readonly string[]
  regApplicationId?: string
  alarmId?: string
  upgradeId?: string
  errorMessage?: string | null
}

export type NewEvent = {
  accountId: string
  type: EventName
  data: EventData
  /** Absent: nobody is mailed. `isOwnerMailed`: the account's owner hears of it by another mail, only others are mailed. */
  mail?: { subject: string; text: string; isOwnerMailed?: boolean }
}

export type PublishEvents = (tx: Tx, events: readonly NewEvent[]) => Promise<void>

export type EventPublisher = {
  publish: PublishEvents
  /** Called when this process has published something; what others published is found by looking. */
  onPublished(listener: () => void): void
}

export function createEventPublisher(): EventPublisher {
  let listener = () => {}
  return {
    publish: async (tx, events) => {
      if (events.length === 0) return
      tx.afterCommit(() => listener())
      await insertEvents(tx, events)
    },
    onPublished: (given) => {
      listener = given
    },
  }
}

/** Names come from users; a line break in one must not become a header. */
export function titleOf(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a header.
  return name.replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 200)
}
