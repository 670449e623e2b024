// An event is written in the transaction of what it tells about: it is handed on exactly when that happened, at least once.
// Everything that tells somebody of something goes through `publish`.
import type { Tx } from '../db/index.ts'
import type { NewEvent } from './event.ts'
import { insertEvents } from './event-store.ts'

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
