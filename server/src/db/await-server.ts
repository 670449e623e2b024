import { setTimeout as wait } from 'node:timers/promises'
import type { ConnectionSettings } from './connect/hosts.ts'
import { isNotThereYet } from './faults.ts'
import { openOwnerSession } from './owner.ts'

const againMs = 1000

type Waiting = {
  /** After every try. */
  onFault(error: unknown): void
  /** Aborted when nobody waits any more. */
  signal: AbortSignal | undefined
}

/** Resolves when the server takes connections. Throws what waiting does not cure: wrong credentials, an unknown database. */
export async function awaitServer(settings: ConnectionSettings, { onFault, signal }: Waiting): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    try {
      const session = await openOwnerSession(settings)
      await session.end()
      return
    } catch (error) {
      if (!isNotThereYet(error)) throw error
      onFault(error)
    }
    await wait(againMs, undefined, signal ? { signal } : {})
  }
}
