// Stands in for the vault while a run is run again: what was read then, and above it what the replay itself wrote.
import type { Json } from '../lib/json.ts'
import type { Tape, TapedRead } from '../runs/index.ts'
import { checkEntry, type Vault, type VaultPlace } from '../vault/index.ts'

type Recorded = TapedRead & { blockId: string; itemKey: string | undefined; isUsed: boolean }
/** Who reads: a block, or one of its items. */
type Reading = { blockId: string; itemKey?: string | undefined }

export class RecordedVault {
  readonly #reads: Recorded[]
  /** Undefined where the replay removed the entry. */
  readonly #own = new Map<string, Json | undefined>()

  constructor(tape: Tape) {
    this.#reads = tape.blocks.flatMap(({ id, itemKey, reads }) =>
      reads.map((read) => ({ ...read, blockId: id, itemKey, isUsed: false })),
    )
  }

  forReader(reading: Reading): Vault {
    const contains = (at: VaultPlace, key: string): boolean => {
      const place = placeOf(at, key)
      if (this.#own.has(place)) return this.#own.get(place) !== undefined
      const told = this.#find(reading, at, key, ['vault.contains', 'vault.remove'])
      if (told !== undefined) return told === true
      return (this.#find(reading, at, key, ['vault.get']) ?? null) !== null
    }
    return {
      get: async (scope, at, key) => {
        checkEntry(scope, at, key)
        const place = placeOf(at, key)
        if (this.#own.has(place)) return this.#own.get(place) ?? null
        return this.#find(reading, at, key, ['vault.get']) ?? null
      },
      contains: async (scope, at, key) => {
        checkEntry(scope, at, key)
        return contains(at, key)
      },
      set: async (scope, at, key, value) => {
        checkEntry(scope, at, key, value)
        this.#own.set(placeOf(at, key), value)
      },
      remove: async (scope, at, key) => {
        checkEntry(scope, at, key)
        const wasThere = contains(at, key)
        this.#own.set(placeOf(at, key), undefined)
        return wasThere
      },
      writeAll: async () => {},
    }
  }

  /** In its own item first, then in its block, then in the run; in their order, the last one again when there are no more. */
  #find(
    { blockId, itemKey }: Reading,
    at: VaultPlace,
    key: string,
    kinds: readonly TapedRead['kind'][],
  ): Json | undefined {
    const scope = 'workflowId' in at ? 'workflow' : 'global'
    const alike = this.#reads.filter((read) => read.scope === scope && read.key === key && kinds.includes(read.kind))
    const ofBlock = alike.filter((read) => read.blockId === blockId)
    const ofItem = ofBlock.filter((read) => read.itemKey === itemKey)
    const choices = [ofItem, ofBlock, alike].find((reads) => reads.length > 0) ?? []
    const read = choices.find(({ isUsed }) => !isUsed) ?? choices.at(-1)
    if (!read) return undefined
    read.isUsed = true
    return JSON.parse(read.value) as Json
  }
}

function placeOf(at: VaultPlace, key: string): string {
  return `${'workflowId' in at ? 'workflow' : 'global'} ${key}`
}
