import type { GuestProcess } from '../process/guest-process.ts'

/** A script waits no longer than this for the process that keeps the realm of its run. */
const WAIT_FOR_OWNER_MS = 250
const REMEMBERED_MAX = 1000

/** Which process keeps the realm of which run: the next script of the run is faster there. */
export class RealmOwners {
  readonly #realmOwner = new Map<string, GuestProcess>()

  rememberRealm({ key, isLast }: { key: string; isLast: boolean }, guest: GuestProcess): void {
    this.#realmOwner.delete(key)
    if (!isLast) this.#realmOwner.set(key, guest)
    // Failed runs never tell that they are over.
    if (this.#realmOwner.size > REMEMBERED_MAX) this.#realmOwner.delete(this.#realmOwner.keys().next().value as string)
  }

  /** How well the script fits this process, lowest best. Runs under way go first: the fewer are open, the fewer realms are kept. */
  rank({ runKey, sinceMs }: { runKey: string; sinceMs: number }, guest: GuestProcess): 0 | 1 | 2 {
    const owner = this.#realmOwner.get(runKey)
    if (owner === guest) return 0
    if (owner === undefined || owner.isGone) return 1
    return performance.now() - sinceMs > WAIT_FOR_OWNER_MS ? 0 : 2
  }
}
