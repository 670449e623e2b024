/**
 * Which blocks are really running, so that the death of a worker is blamed on them alone, and not on everything it had in hand.
 *
 *  - A block that runs for a moment is noted in the database with all others of that moment. Most are over before.
 *  - A run that was in the hands of a worker that died is started carefully: its block is noted before it begins, and few such blocks begin
 *    at once, so that one that kills its worker at once is known by its note.
 *  - A run whose block was under way at two deaths is tried alone: nothing else is begun, and nothing else is to blame.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../../db/index.ts'
import type { RunClaim } from '../run.ts'
import { updateUnderWay } from './mark-store.ts'

type Claim = Pick<RunClaim, 'runId' | 'attempt'>

type Followed = { claim: Claim; blocks: Map<string, number>; isNoted: boolean }

/** A block that runs this long is noted. */
const noteAfterMs = 300
const carefulAtOnce = 16
/** One that did not kill its worker by then lets the next one begin; its note stays. */
const carefulMs = 1000
/** How long a run that is tried alone waits for the others to end, and how long it then stays alone. */
export const aloneMs = 10_000

export class UnderWay {
  readonly #db: Queryable
  readonly #runs = new Map<string, Followed>()
  readonly #waiting: (() => void)[] = []
  #careful = 0
  #alone: { runId: string; isOver: Promise<void> } | undefined

  constructor(db: Queryable) {
    this.#db = db
  }

  /** Set while a run is tried alone: nothing new is to be taken. */
  get isReserved(): boolean {
    return this.#alone !== undefined
  }

  begin(claim: Claim, blockId: string): void {
    const followed = this.#runs.get(claim.runId) ?? { claim, blocks: new Map(), isNoted: true }
    if (followed.blocks.has(blockId)) return
    followed.claim = claim
    followed.blocks.set(blockId, performance.now())
    followed.isNoted = false
    this.#runs.set(claim.runId, followed)
  }

  end({ runId }: Claim, blockId: string): void {
    const followed = this.#runs.get(runId)
    followed?.blocks.delete(blockId)
    if (followed?.blocks.size === 0) this.#runs.delete(runId)
  }

  /** Notes what has been running for a moment. While a run is tried alone, only that one. */
  async noteSlow(): Promise<void> {
    const oldest = performance.now() - noteAfterMs
    const slow = [...this.#runs.values()].filter(
      ({ claim, blocks, isNoted }) =>
        !isNoted && this.#mayNote(claim) && [...blocks.values()].some((since) => since < oldest),
    )
    for (const followed of slow) followed.isNoted = true
    await updateUnderWay(this.#db, slow.map(toNote))
  }

  /** Resolves when the block may begin: it is noted then. */
  async beginCarefully(claim: Claim, blockId: string, signal: AbortSignal): Promise<void> {
    while (this.#alone && this.#alone.runId !== claim.runId && !signal.aborted) await this.#alone.isOver
    if (this.#careful >= carefulAtOnce) await new Promise<void>((next) => this.#waiting.push(next))
    this.#careful++
    setTimeout(() => {
      this.#careful--
      this.#waiting.shift()?.()
    }, carefulMs)
    this.begin(claim, blockId)
    const followed = this.#runs.get(claim.runId)
    if (!followed) return
    followed.isNoted = true
    await updateUnderWay(this.#db, [toNote(followed)])
  }

  /**
   * Reserves the worker for a run that is suspected. The others get time to end; those that do not are no longer blamed. `othersEnded` resolves
   * when the run is the only one in hand.
   */
  async reserve(claim: Claim, othersEnded: Promise<void>, signal: AbortSignal): Promise<Disposable> {
    while (this.#alone && !signal.aborted) await this.#alone.isOver
    const over = Promise.withResolvers<void>()
    this.#alone = { runId: claim.runId, isOver: over.promise }
    const release = () => {
      if (this.#alone?.isOver === over.promise) this.#alone = undefined
      over.resolve()
    }
    try {
      await Promise.race([othersEnded, wait(aloneMs, undefined, { ref: false })])
      const others = [...this.#runs.values()].filter((followed) => followed.claim.runId !== claim.runId)
      for (const followed of others) followed.isNoted = false
      await updateUnderWay(
        this.#db,
        others.map(({ claim: { runId, attempt } }) => ({ runId, attempt, blockIds: [] })),
      )
    } catch (error) {
      // Whoever reserved the worker must not keep it when the database was away.
      release()
      throw error
    }
    const timer = setTimeout(release, aloneMs)
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        release()
      },
    }
  }

  #mayNote({ runId }: Claim): boolean {
    return this.#alone === undefined || this.#alone.runId === runId
  }
}

function toNote({ claim, blocks }: Followed) {
  return { runId: claim.runId, attempt: claim.attempt, blockIds: [...blocks.keys()] }
}
