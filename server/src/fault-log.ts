// Faults of parts that work by themselves. The first of a kind is logged at once, with everything that is known; while the same goes on
// happening, one line a minute says how often. A database that is away for an hour is sixty lines, not a million.
import type { Logger } from 'pino'
import { isAway, isBeingMoved } from './db/index.ts'

/** What a fault is about, where it is about something. */
export type FaultPlace = { accountId?: string; workflowId?: string; runId?: string; runNumber?: number }
export type ReportFault = (error: unknown, about?: FaultPlace) => void

type Known = { part: string; times: number; error: unknown }

const summaryMs = 60_000
/** Beyond that the oldest kind is forgotten, and would be logged as a new one. */
const kindsMax = 500

export class FaultLog implements Disposable {
  readonly #log: Logger
  readonly #count: (part: string) => void
  readonly #known = new Map<string, Known>()
  readonly #timer: NodeJS.Timeout

  constructor(log: Logger, count: (part: string) => void) {
    this.#log = log
    this.#count = count
    this.#timer = setInterval(() => this.sumUp(), summaryMs).unref()
  }

  /** The way in which one part reports its faults. */
  of(part: string): ReportFault {
    return (error, about = {}) => {
      // Whoever works for all accounts meets the barrier around an organization that moves to another cell, and comes back later.
      if (isBeingMoved(error)) return
      this.#count(part)
      const kind = `${part} ${kindOf(error)}`
      const known = this.#known.get(kind)
      if (known) {
        known.times++
        return
      }
      if (this.#known.size >= kindsMax) this.#known.delete(this.#known.keys().next().value as string)
      this.#known.set(kind, { part, times: 0, error })
      // A database that is away stops every part at once: where each of them stood says nothing, and would bury the line that names the cause.
      this.#log.error({ part, ...about, err: isAway(error) ? shortened(error) : error }, 'Background work failed.')
    }
  }

  /** Tells what has gone on, and forgets what has not happened again. */
  sumUp(): void {
    for (const [kind, known] of this.#known) {
      if (known.times === 0) this.#known.delete(kind)
      else {
        const { part, times, error } = known
        this.#log.error({ part, times, err: shortened(error) }, `The same fault happened ${times} more times.`)
        known.times = 0
      }
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.sumUp()
  }
}

/** Ids and numbers do not make another fault. */
function kindOf(error: unknown): string {
  const { name, code = '', message } = shortened(error)
  return `${name} ${code} ${message.slice(0, 300).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi, '#')}`
}

type Short = { name: string; code?: unknown; message: string }

/** Without the stack. The queue reports copies of errors, which are no errors any more. */
function shortened(error: unknown): Short {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return { name: 'Error', message: String(error) }
  }
  const name = 'name' in error ? String(error.name) : 'Error'
  return { name, ...('code' in error ? { code: error.code } : {}), message: String(error.message) }
}
