// Stands in for the vault while a run is run again: what was read then, and above it what the replay itself wrote.
import type { Json } from '../lib/json.ts'
import type { Tape, TapedRead } from '../runs/index.ts'
import { checkEntry, type Vault, type VaultPlace } from '../vault/index.ts'

type Recorded = TapedRead & { blockId: string; isUsed: boolean }

export class RecordedVault {
  readonly #reads: Recorded[]
  /** Undefined where the replay removed the entry. */
  readonly #own = new Map<string, Json | undefined>()

  constructor(tape: Tape) {
    this.#reads = tape.blocks.flatMap(({ id, reads }) => reads.map((read) => ({ ...read, blockId: id, isUsed: false })))
  }

  forBlock(blockId: string): Vault {
    const contains = (at: VaultPlace, key: string): boolean => {
      const place = placeOf(at, key)
      if (this.#own.has(place)) return this.#own.get(place) !== undefined
      const told = this.#find(blockId, at, key, ['vault.contains', 'vault.remove'])
      if (told !== undefined) return told === true
      return (this.#find(blockId, at, key, ['vault.get']) ?? null) !== null
    }
    return {
      get: async (scope, at, key) => {
        checkEntry(scope, at, key)
        const place = placeOf(at, key)
        if (this.#own.has(place)) return this.#own.get(place) ?? null
        return this.#find(blockId, at, key, ['vault.get']) ?? null
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

  /** In its own block first, then in the run; in their order, the last one again when there are no more. */
  #find(blockId: string, at: VaultPlace, key: string, kinds: readonly TapedRead['kind'][]): Json | undefined {
    const scope = 'workflowId' in at ? 'workflow' : 'global'
    const alike = this.#reads.filter((read) => read.scope === scope && read.key === key && kinds.includes(read.kind))
    const own = alike.filter((read) => read.blockId === blockId)
    const choices = own.length > 0 ? own : alike
    const read = choices.find(({ isUsed }) => !isUsed) ?? choices.at(-1)
    if (!read) return undefined
    read.isUsed = true
    return JSON.parse(read.value) as Json
  }
}

function placeOf(at: VaultPlace, key: string): string {
  return `${'workflowId' in at ? 'workflow' : 'global'} ${key}`
}
