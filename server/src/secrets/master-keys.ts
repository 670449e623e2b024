// The master keys at hand, by id. Usually one; during a rotation the new one and the old one.
//
// A running process learns of a new key when it meets an id it does not know: it then reads its source again. The id says which key
// opens what; no key is ever tried.
import { createKeyFileIfMissing, readKeyFile } from './key-file.ts'
import { type MasterKey, type MasterKeyProvider, masterKeyFrom, parseMasterKeys } from './master-key.ts'

export type MasterKeySource =
  | { kind: 'value'; base64: string }
  | { kind: 'file'; path: string; createIfMissing: boolean }

export class MasterKeys implements MasterKeyProvider {
  readonly #source: MasterKeySource
  #keys: MasterKey[] = []

  constructor(source: MasterKeySource) {
    this.#source = source
    if (source.kind === 'file' && source.createIfMissing) createKeyFileIfMissing(source.path)
    this.reload()
  }

  /** The first of the source: the only one, or the one that a rotation leads to. */
  get newest(): MasterKey {
    return this.#keys[0] as MasterKey
  }

  /** How many the source holds now; more than one means that a rotation is under way. */
  get count(): number {
    return this.#keys.length
  }

  find(id: string): MasterKey | undefined {
    const known = this.#keys.find((key) => key.id === id)
    if (known || this.#source.kind === 'value') return known
    this.reload()
    return this.#keys.find((key) => key.id === id)
  }

  reload(): void {
    this.#keys = readMasterKeys(this.#source).map(masterKeyFrom)
  }
}

/** The bytes themselves, for those who must carry them elsewhere. */
export function readMasterKeys(source: MasterKeySource): Buffer[] {
  return source.kind === 'value' ? parseMasterKeys(source.base64, 'PATCHBAY_MASTER_KEY') : readKeyFile(source.path)
}

export function masterKeyIdOf(bytes: Buffer): string {
  return masterKeyFrom(bytes).id
}
