/**
 * One connection to the database, to the host that takes writes, as the role it is meant for:
 *
 *   connecting ─► (a standby: the host is given up) ─► role and settings checked ─► open ─► ended, or destroyed because it went silent
 */
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { readOnlyState } from '../sqlstates.ts'
import type { ConnectionSettings, Hosts } from './hosts.ts'
import { clientConfig, type ServiceRole, type SessionRole, sessionSettings } from './session-settings.ts'

export class WrongRoleError extends Error {
  override name = 'WrongRoleError'
}

/** As PostgreSQL itself says it of a statement. */
class ReadOnlyHostError extends Error {
  override name = 'ReadOnlyHostError'
  readonly code = readOnlyState
}

/** How long the server may take to part in order. */
const partingMsMax = 2000

export type SessionDeps = {
  hosts: Hosts
  role: SessionRole
  /** Looks after the session once it is open. */
  watch?: { add(session: Session): void }
}

export class Session extends pg.Client {
  readonly role: SessionRole
  readonly target: ConnectionSettings
  /** The server's own number of the session, which a pooler in between does not know. */
  backendPid = 0
  readonly #deps: SessionDeps
  readonly #reported = new Map<string, string>()
  #isBusy = false
  #heardAt = performance.now()
  #bytesRead = 0

  constructor(deps: SessionDeps, options: pg.ClientConfig = {}) {
    const host = deps.hosts.current
    super({ ...options, ...clientConfig(host, deps.role) })
    this.#deps = deps
    this.role = deps.role
    this.target = host
    const { connection } = this
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) =>
      this.#reported.set(parameterName as string, parameterValue as string),
    )
    connection.on('readyForQuery', () => {
      this.#heardAt = performance.now()
    })
    this.on('drain', () => {
      this.#isBusy = false
    })
    // Whoever waits for an answer is told as well. Unheard, it would end the process.
    this.on('error', () => {})
    this.#noteQueries()
  }

  /** How long the server has owed an answer without giving any. */
  get silentMs(): number {
    return this.#isBusy ? performance.now() - this.#heardAt : 0
  }

  /** Something has come in since the last look, a part of a large answer for example. */
  listen(): void {
    const { bytesRead } = this.connection.stream as Socket
    if (bytesRead === this.#bytesRead) return
    this.#bytesRead = bytesRead
    this.#heardAt = performance.now()
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  get heardAt(): number {
    return this.#heardAt
  }

  /** Everything that waits for an answer fails, now. */
  destroy(): void {
    this.connection.stream.destroy()
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const opened = this.#open()
    if (!callback) return opened
    // The library takes "no error" in this form, although its types do not say so.
    opened.then(() => callback(null as unknown as Error), callback)
    return undefined
  }

  /** A server that does not answer cannot hold up the end either. */
  override async end(callback?: (error: Error) => void): Promise<void> {
    const over = new AbortController()
    const ended = super.end().finally(() => over.abort())
    void wait(partingMsMax, undefined, { signal: over.signal, ref: false }).then(
      () => this.destroy(),
      () => {},
    )
    await ended
    callback?.(undefined as unknown as Error)
  }

  async #open(): Promise<this> {
    const { hosts, role, watch } = this.#deps
    try {
      await super.connect()
      const isReadOnly = ['in_hot_standby', 'default_transaction_read_only'].some(
        (name) => this.#reported.get(name) === 'on',
      )
      if (isReadOnly) throw new ReadOnlyHostError('The database server is a standby or read-only.')
      watch?.add(this)
    } catch (error) {
      hosts.giveUp(this.target, error)
      this.destroy()
      throw error
    }
    try {
      if (role !== 'owner') await this.#takeRole(role)
    } catch (error) {
      this.destroy()
      throw error
    }
    return this
  }

  /** A pooler may have dropped what we asked for when we connected; then it is asked for again. Nothing runs as anybody else. */
  async #takeRole(role: ServiceRole): Promise<void> {
    if (await this.#hasRole(role)) return
    const settings = Object.entries(sessionSettings(role)).map(([name, value]) => `set ${name} = '${value}'`)
    await this.query([`set role ${role}`, ...settings].join('; '))
    if (!(await this.#hasRole(role))) {
      throw new WrongRoleError(
        `Statements for the role ${role} would run as another role, past the walls between accounts. Connect to PostgreSQL directly, or through a pooler in session mode.`,
      )
    }
  }

  async #hasRole(role: ServiceRole): Promise<boolean> {
    const { rows } = await this.query<{ role: string; path: string; pid: number }>(
      "select current_user::text as role, current_setting('search_path') as path, pg_backend_pid() as pid",
    )
    this.backendPid = rows[0]?.pid ?? 0
    return rows[0]?.role === role && rows[0].path === sessionSettings(role)['search_path']
  }

  #noteQueries(): void {
    const query = this.query.bind(this) as (...given: unknown[]) => unknown
    this.query = ((...given: unknown[]) => {
      if (!this.#isBusy) {
        this.#isBusy = true
        this.#heardAt = performance.now()
      }
      return query(...given)
    }) as typeof this.query
  }
}
