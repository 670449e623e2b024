import { isReadOnly } from '../sqlstates.ts'
import { splitDatabaseUrl } from './database-url.ts'

export type ConnectionSettings = { connectionString: string } | { host: string; port: number; database: string }

/**
 * The hosts of the database and which of them was last seen to take writes. Everybody connects there; whoever finds that it is away or read-only
 * says so, and the next one is tried.
 */
export class Hosts {
  readonly #all: readonly ConnectionSettings[]
  readonly #faults = new WeakSet<object>()
  #index = 0

  constructor(settings: ConnectionSettings) {
    this.#all =
      'connectionString' in settings
        ? splitDatabaseUrl(settings.connectionString).map((connectionString) => ({ connectionString }))
        : [settings]
  }

  get current(): ConnectionSettings {
    return this.#all[this.#index] as ConnectionSettings
  }

  /** `host` cannot be used at the moment, because of `fault`. */
  giveUp(host: ConnectionSettings, fault: unknown): void {
    if (typeof fault === 'object' && fault !== null) this.#faults.add(fault)
    if (host === this.current) this.#index = (this.#index + 1) % this.#all.length
  }

  /**
   * Tries each host before it gives up, several of them twice, because others change the choice meanwhile. A host that is read-only tells more than
   * one that does not answer, whichever was tried last: otherwise the reason in the log would change with the order of the tries.
   */
  async tryEach<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const triesMax = this.#all.length === 1 ? 1 : 2 * this.#all.length
    let fault: unknown
    for (let tried = 1; ; tried++) {
      try {
        return await attempt()
      } catch (error) {
        const isOfHost = typeof error === 'object' && error !== null && this.#faults.has(error)
        if (!isOfHost) throw error
        if (!isReadOnly(fault)) fault = error
        if (tried >= triesMax) throw fault
      }
    }
  }
}
