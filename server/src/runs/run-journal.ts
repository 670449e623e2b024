/**
 * What one run has found out and not recorded yet. A block goes on from results that are still on their way to the disk, but nothing it does
 * is let out before they are there: its calls wait, and a block that should not have started is taken back as if it never had.
 *
 *   a block ended ─► noted ─(at once, or a moment later under load)─► written with all that was noted meanwhile ─► durable
 *                      └─(the run ends first)─► written together with its end
 *
 * Writes of a run follow each other, so the records always hold a beginning of what happened.
 */
import type { BlockEntry, RunRecorder } from './recorder.ts'
import type { BlockRecord } from './run.ts'

/** Results that are larger do not wait for others: they would only fill the memory. */
const heldCharactersMax = 256_000

export class RunJournal {
  readonly #recorder: Pick<RunRecorder, 'record' | 'gatherMs'>
  readonly #describe: () => Omit<BlockEntry, 'blocks'>
  #noted: BlockRecord[] = []
  #heldCharacters = 0
  /** Settled when what is noted now is durable; false when the run must not go on. */
  #durable: PromiseWithResolvers<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  /** The write under way and all before it. */
  #written: Promise<boolean> = Promise.resolve(true)
  #isWriting = false
  #fault: { error: unknown } | undefined
  /** Another worker owns the run. */
  isLost = false
  isStopping = false

  /** @param describe the run as it is at the moment of a write */
  constructor(recorder: Pick<RunRecorder, 'record' | 'gatherMs'>, describe: () => Omit<BlockEntry, 'blocks'>) {
    this.#recorder = recorder
    this.#describe = describe
  }

  /** `isUrgent`: the block did something that must not be done again. Throws when an earlier write failed for good. */
  note(block: BlockRecord, isUrgent: boolean): void {
    this.#throwFault()
    if (this.isLost) return
    this.#noted.push(block)
    this.#heldCharacters += (block.result?.length ?? 0) + (block.log?.length ?? 0)
    this.#durable ??= Promise.withResolvers<boolean>()
    const waitMs = isUrgent || this.#heldCharacters > heldCharactersMax ? 0 : this.#recorder.gatherMs()
    if (waitMs === 0) this.#write()
    else this.#timer ??= setTimeout(() => this.#write(), waitMs)
  }

  /** Undefined when everything is durable; otherwise settled when it is, with false when the run must not go on. */
  get pending(): Promise<boolean> | undefined {
    return this.#durable?.promise ?? (this.#isWriting ? this.#written : undefined)
  }

  /** Everything noted so far is written without further delay. */
  hurry(): void {
    this.#write()
  }

  /** Waits until everything noted so far is durable or never will be. */
  async settle(): Promise<void> {
    while (this.pending) {
      this.#write()
      await this.pending
      this.#throwFault()
    }
  }

  /** For the end of the run: waits for the write under way and hands over what no write has taken. */
  async takeRest(): Promise<BlockRecord[]> {
    const rest = this.#take()
    await this.#written
    this.#throwFault()
    return rest
  }

  #take(): BlockRecord[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#durable = undefined
    this.#heldCharacters = 0
    const taken = this.#noted
    this.#noted = []
    return taken
  }

  #write(): void {
    const durable = this.#durable
    // What is noted during a write goes with the next one.
    if (!durable || this.#isWriting) return
    const entry = { ...this.#describe(), blocks: this.#take() }
    this.#isWriting = true
    this.#written = durable.promise
    const goOn = (): void => {
      this.#isWriting = false
      const isOver = this.isLost || this.#fault !== undefined
      durable.resolve(!isOver && !this.isStopping)
      // A later write would leave a gap in the records.
      if (isOver) this.#durable?.resolve(false)
      else this.#write()
    }
    this.#recorder
      .record(entry)
      .then(
        (status) => {
          if (status === undefined) this.isLost = true
          if (status === 'Stopping') this.isStopping = true
        },
        (error) => {
          this.#fault = { error }
        },
      )
      .then(goOn)
  }

  #throwFault(): void {
    if (this.#fault) throw this.#fault.error
  }
}
