import type { Owner } from '../../lib/fair-queue.ts'
import { neverBegun } from '../job/run-job.ts'
import type { GuestProcess } from '../process/guest-process.ts'

/** What is asked of the pool. */
export type Request<T> = Owner & {
  runKey: string
  /** It may be sent to a process that is still busy with another script. */
  mayBeQueuedOnBusyProcess: boolean
  goesFirst?: boolean
  work(guest: GuestProcess): Promise<T | typeof neverBegun>
  /** Once one of these is aborted it need not begin any more: the answer is what `givenUp` returns. */
  signals?: readonly (AbortSignal | undefined)[]
  givenUp?(): T
}

/** A request that waits for a process. */
export type Task = Owner & {
  runKey: string
  sinceMs: number
  mayBeQueuedOnBusyProcess: boolean
  isGivenUp(): boolean
  /** Resolves with false when the process never turned to it. */
  work(guest: GuestProcess): Promise<boolean>
  giveUp(): void
  refuse(error: Error): void
}

/** @param leave called when it waits no longer */
export function makeTask<T>(request: Request<T>, leave: () => void): { task: Task; result: Promise<T> } {
  const { organizationId, accountId, runKey, mayBeQueuedOnBusyProcess, signals = [], givenUp, work } = request
  const { promise: result, resolve, reject } = Promise.withResolvers<T>()
  const task: Task = {
    ...{ organizationId, accountId, runKey, mayBeQueuedOnBusyProcess },
    sinceMs: performance.now(),
    isGivenUp: () => givenUp !== undefined && signals.some((signal) => signal?.aborted),
    work: async (guest) => {
      leave()
      try {
        const value = await work(guest)
        if (value === neverBegun) return false
        resolve(value)
      } catch (error) {
        reject(error)
      }
      return true
    },
    giveUp: () => {
      leave()
      if (givenUp) resolve(givenUp())
    },
    refuse: (error) => {
      leave()
      reject(error)
    },
  }
  return { task, result }
}
