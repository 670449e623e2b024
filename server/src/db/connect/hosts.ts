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

  /** Tries each host before it gives up, several of them twice, because others change the choice meanwhile. The fault of the last one is told. */
  async tryEach<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const triesMax = this.#all.length === 1 ? 1 : 2 * this.#all.length
    for (let tried = 1; ; tried++) {
      try {
        return await attempt()
      } catch (error) {
        const isOfHost = typeof error === 'object' && error !== null && this.#faults.has(error)
        if (!isOfHost || tried >= triesMax) throw error
      }
    }
  }
}
