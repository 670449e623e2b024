/**
 * Large contents of runs and webhook requests, outside the database where a storage is set:
 *
 *   write   sealed ─► object, durable ─► the row refers to it, in its own transaction       (storage away: the row holds the content itself)
 *   read    row ─► reference ─► object ─► opened for that row and no other
 *   remove  runs and requests go as ever ─► the sweep finds objects that nothing refers to
 *
 * Whoever reads a content that may lie elsewhere reads it here: texts by `read`, sealed values by `KeyRing.open`, which asks `open`.
 */
import type { ObjectStore } from '../files/index.ts'
import { newId } from '../lib/id.ts'
import type { KeyRing, Place } from '../secrets/index.ts'
import { DamagedContentError } from './content-error.ts'
import type { ContentStores } from './content-stores.ts'
import { keyOf, type Reference, readReference, writeReference } from './reference.ts'

type Deps = {
  stores: ContentStores
  keyRing: Pick<KeyRing, 'seal' | 'open' | 'openElsewhere'>
  /** Shorter ones stay in their rows. */
  bytesMin: number
  onFault(error: unknown): void
}

/** After a failure the storage is left alone for so long: nobody waits for it in vain. */
const leaveAloneMs = 15_000
/** A process that stood still meanwhile, with its machine, does not refer to what the sweep may have taken for forgotten. */
const putMsMax = 60_000

export class Contents {
  readonly #deps: Deps
  #awayUntil = 0

  constructor(deps: Deps) {
    this.#deps = deps
    deps.keyRing.openElsewhere((place, stored) => this.open(place, stored))
  }

  get isOn(): boolean {
    return this.primary !== undefined
  }

  get primary(): ObjectStore | undefined {
    return this.#deps.stores.primary
  }

  /** What the column is to hold: a reference, or the text itself. `count`: what must be known of it without reading it. */
  async keep(place: Place, text: string | null, count = 0): Promise<string | null> {
    if (text === null || !this.#takes(text.length)) return text
    const plain = Buffer.from(text)
    const reference = await this.#put(place, await this.#deps.keyRing.seal(place, plain), plain.length, count)
    return reference ?? text
  }

  /** As `keep`, for a column of sealed values. */
  async keepSealed(place: Place, sealed: Buffer): Promise<Buffer> {
    if (!this.#takes(sealed.length) || readReference(sealed)) return sealed
    const reference = await this.#put(place, sealed, sealed.length, 0)
    return reference === undefined ? sealed : Buffer.from(reference)
  }

  /** The text that a column holds or refers to. */
  async read<Text extends string | null>(place: Place, stored: Text): Promise<Text> {
    const reference = stored === null ? undefined : readReference(stored)
    return reference ? ((await this.#open(place, reference)).toString() as Text) : stored
  }

  /** What a reference in a column of sealed values leads to, opened. */
  async open(place: Place, stored: Buffer): Promise<Buffer> {
    const reference = readReference(stored)
    if (!reference) throw new Error('There is no reference to a content.')
    return this.#open(place, reference)
  }

  async #open(place: Place, { objectId }: Reference): Promise<Buffer> {
    const key = keyOf(place, objectId)
    const sealed = await this.#deps.stores.find(key)
    if (!sealed) throw this.#damaged('missing', key)
    try {
      if (readReference(sealed)) throw new Error('An object refers to another.')
      return await this.#deps.keyRing.open(place, sealed)
    } catch (error) {
      throw this.#damaged('damaged', key, error)
    }
  }

  #damaged(how: 'missing' | 'damaged', key: string, cause?: unknown): DamagedContentError {
    const error = new DamagedContentError(how, key, cause)
    this.#deps.onFault(error.cause)
    return error
  }

  #takes(length: number): boolean {
    return this.isOn && length >= this.#deps.bytesMin && performance.now() >= this.#awayUntil
  }

  /** Undefined when the storage did not take it: a good run does not fail for that. */
  async #put(place: Place, sealed: Buffer, bytes: number, count: number): Promise<string | undefined> {
    const objectId = newId()
    const began = Date.now()
    try {
      await this.primary?.put(keyOf(place, objectId), sealed)
    } catch (error) {
      this.#awayUntil = performance.now() + leaveAloneMs
      this.#deps.onFault(error)
      return undefined
    }
    return Date.now() - began > putMsMax ? undefined : writeReference({ objectId, bytes, count })
  }
}
