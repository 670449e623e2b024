// Connections. Two roles, neither owner nor superuser, each with a pool, and a small pool for lookups:
//  - `patchbay_app` sees only rows of the organization and account that its session names (row-level security, forced);
//  - `patchbay_system` serves work that belongs to no single account: authentication, webhook intake, dispatching, mail.
// Clients work in pipeline mode: statements that do not wait for each other's answers travel in one round trip.
import pg from 'pg'
import { type ConnectionSettings, Hosts } from './connect/hosts.ts'
import { Session, WrongRoleError } from './connect/session.ts'
import type { ServiceRole } from './connect/session-settings.ts'
import { SilenceWatch } from './connect/silence-watch.ts'
import { endsConnection } from './faults.ts'
import { startListener } from './listener.ts'
import type { Statement } from './sql.ts'
import { cannotWriteFiles } from './sqlstates.ts'

export type Scope = { readonly organizationId: string; readonly accountId: string }

export type Rows<Row> = { rows: Row[]; rowCount: number }

export type Queryable = {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Rows<Row>>
}

export type Tx = Queryable & {
  readonly isTransaction: true
  /** Calls back once the transaction is final, and never when it is rolled back. What it throws is told and fails nothing. */
  afterCommit(callback: () => void): void
  /** Work whose failure takes back what it wrote itself and nothing else. Nothing else may be sent meanwhile. */
  apart<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

/** What a feature gets: statements and transactions within one scope. */
export type Db = Queryable & { transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> }

// PostgreSQL's bigint: our counters stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export type PoolName = 'app' | 'system' | 'lookups'

export class Database implements AsyncDisposable {
  readonly system: Db
  /**
   * Short reads that somebody may need in the middle of a transaction, such as the key of an account. Their connections are never held by a
   * transaction: were they taken from a pool whose clients all wait for a lock of that transaction, nobody could go on.
   */
  readonly lookups: Queryable
  readonly #hosts: Hosts
  readonly #watch: SilenceWatch
  readonly #app: pg.Pool
  readonly #system: pg.Pool
  readonly #lookups: pg.Pool
  readonly #onWait: (pool: PoolName, seconds: number) => void
  readonly #report: (error: Error) => void
  #isClosing = false
  #writeFault: unknown
  /** The scope each client's session is set to. */
  readonly #scopes = new WeakMap<pg.PoolClient, string>()

  constructor(
    settings: ConnectionSettings,
    onError: (error: Error) => void,
    sizes = { app: 10, system: 8, lookups: 2 },
    /** Told how long work waited for a connection. */
    onWait: (pool: PoolName, seconds: number) => void = () => {},
  ) {
    this.#hosts = new Hosts(settings)
    this.#onWait = onWait
    // A server that ends our idle connections while we close them is not a fault.
    const report = (error: Error) => {
      if (!this.#isClosing) onError(error)
    }
    this.#report = report
    this.#watch = new SilenceWatch(this.#hosts, report)
    this.#app = this.#makePool('patchbay_app', sizes.app, report)
    this.#system = this.#makePool('patchbay_system', sizes.system, report)
    this.#lookups = this.#makePool('patchbay_system', sizes.lookups, report)
    this.system = this.#dbOn(this.#system, undefined)
    this.lookups = { query: this.#dbOn(this.#lookups, undefined).query }
  }

  /** Everything a request does for an account goes through here. */
  forScope(scope: Scope): Db {
    return this.#dbOn(this.#app, scope)
  }

  /** Connections of each pool, and work that waits for one. */
  get pools(): Record<PoolName, { total: number; idle: number; waiting: number }> {
    const useOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
      total: totalCount,
      idle: idleCount,
      waiting: waitingCount,
    })
    return { app: useOf(this.#app), system: useOf(this.#system), lookups: useOf(this.#lookups) }
  }

  /** The latest fault of a server that could not write its files, as a statement of ours met it. */
  get writeFault(): unknown {
    return this.#writeFault
  }

  /** For whoever found that the server can write again since then. */
  forgetWriteFault(fault: unknown): void {
    if (this.#writeFault === fault) this.#writeFault = undefined
  }

  /**
   * Two sessions at once must be two sessions of the server, each under its own role. A pooler that hands one out by turns, by transaction, would
   * let one request work under the account of another.
   */
  async checkSessions(): Promise<void> {
    const pidOf = async (client: pg.PoolClient) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      return rows[0]?.pid
    }
    await this.#withClient(this.#system, (one) =>
      this.#withClient(this.#app, async (other) => {
        if ((await pidOf(one)) !== (await pidOf(other))) return
        throw new WrongRoleError(
          'The pooler in front of PostgreSQL shares one session between clients. Patchbay needs sessions of its own: set pool_mode = session, or connect directly.',
        )
      }),
    )
  }

  /**
   * A connection of its own that only listens. `onConnect` runs after every (re)connection: what was said while it was away was not heard.
   */
  async listen(
    channel: string,
    onMessage: (payload: string) => void,
    onConnect: () => void,
  ): Promise<{ close(): Promise<void> }> {
    return startListener({ hosts: this.#hosts, watch: this.#watch, onMessage, onConnect }, channel)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#app, this.#system, this.#lookups].map((pool) => pool.end()))
    this.#watch[Symbol.dispose]()
  }

  /** A client of the pool, while `work` needs it. One that met the end of its connection does not go back. */
  async #withClient<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#hosts.tryEach(() => this.#connect(pool))
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      if (endsConnection(error)) broken = error as Error
      if (cannotWriteFiles(error)) this.#writeFault = error
      if (broken && client instanceof Session) this.#hosts.giveUp(client.target, error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  #dbOn(pool: pg.Pool, scope: Scope | undefined): Db {
    return {
      query: <Row>(statement: Statement) =>
        this.#withClient(pool, async (client) => {
          const scoped = this.#enterScope(client, scope)
          const result = run<Row>(client, statement)
          // If the scope cannot be set, nobody waits for the statement behind it.
          result.catch(() => {})
          await scoped
          return result
        }),
      transaction: (work) => this.#withClient(pool, (client) => this.#transact(client, scope, work)),
    }
  }

  async #transact<Result>(
    client: pg.PoolClient,
    scope: Scope | undefined,
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    // The scope is set before the transaction begins: inside, a rollback would take it back unseen.
    const opened = Promise.all([this.#enterScope(client, scope), client.query('begin')])
    const { tx, pending, callbacks } = makeTx(client)
    opened.catch(() => {})
    let result: Result
    try {
      result = await work(tx)
      // Statements that nobody awaited must have succeeded too, before anything is made final.
      await opened
      await Promise.all(pending)
      await client.query('commit')
    } catch (error) {
      await Promise.allSettled(pending)
      // Without a rollback the session is of no further use; one that is lost rolls back by itself.
      await client.query('rollback').catch(() => (client as pg.PoolClient & Session).destroy())
      throw error
    }
    for (const callback of callbacks) {
      try {
        callback()
      } catch (error) {
        // What is committed is committed: whoever is told of it cannot undo it.
        this.#report(error as Error)
      }
    }
    return result
  }

  #makePool(role: ServiceRole, max: number, onError: (error: Error) => void): pg.Pool {
    const deps = { hosts: this.#hosts, watch: this.#watch, role }
    const Client = class extends Session {
      constructor(options: pg.ClientConfig) {
        super(deps, options)
      }
    }
    const pool = new pg.Pool({
      // The library's type leaves out that it hands its options on.
      Client: Client as unknown as new () => pg.ClientBase,
      max,
      pipeline: true,
      idleTimeoutMillis: 30_000,
      // How long to wait for a client of a pool that is in use.
      connectionTimeoutMillis: 10_000,
      allowExitOnIdle: false,
    })
    pool.on('error', onError)
    // A connection that dies while somebody works with it says so as well, beside failing the work; unheard, it would end the process.
    pool.on('connect', (client) => client.on('error', onError))
    return pool
  }

  #nameOf(pool: pg.Pool): PoolName {
    return pool === this.#app ? 'app' : pool === this.#system ? 'system' : 'lookups'
  }

  async #connect(pool: pg.Pool): Promise<pg.PoolClient> {
    const askedAt = performance.now()
    const client = await pool.connect()
    this.#onWait(this.#nameOf(pool), (performance.now() - askedAt) / 1000)
    return client
  }

  #enterScope(client: pg.PoolClient, scope: Scope | undefined): Promise<unknown> | undefined {
    if (!scope) return undefined
    const key = scope.organizationId + scope.accountId
    if (this.#scopes.get(client) === key) return undefined
    this.#scopes.delete(client)
    const entered = client.query(setScope(scope)).then(() => this.#scopes.set(client, key))
    entered.catch(() => {})
    return entered
  }
}

type OpenTx = { tx: Tx; pending: Promise<unknown>[]; callbacks: (() => void)[] }

/** What is sent within a transaction, or within a part of it that can be taken back, and who is told at the end. */
function makeTx(client: pg.PoolClient, depth = 0): OpenTx {
  const pending: Promise<unknown>[] = []
  const callbacks: (() => void)[] = []
  const tx: Tx = {
    isTransaction: true,
    afterCommit: (callback) => void callbacks.push(callback),
    query: (statement) => {
      const result = run(client, statement)
      pending.push(result)
      result.catch(() => {})
      return result as never
    },
    apart: async (work) => {
      const part = makeTx(client, depth + 1)
      const name = `part_${depth}`
      await client.query(`savepoint ${name}`)
      try {
        const result = await work(part.tx)
        await Promise.all(part.pending)
        await client.query(`release savepoint ${name}`)
        callbacks.push(...part.callbacks)
        return result
      } catch (error) {
        await Promise.allSettled(part.pending)
        await client.query(`rollback to savepoint ${name}`)
        throw error
      }
    },
  }
  return { tx, pending, callbacks }
}

function setScope(scope: Scope) {
  return {
    name: 'scope',
    text: "select set_config('patchbay.organization_id', $1, false), set_config('patchbay.account_id', $2, false)",
    values: [scope.organizationId, scope.accountId],
  }
}

async function run<Row>(client: pg.PoolClient, statement: Statement): Promise<Rows<Row>> {
  const { rows, rowCount } = await client.query(statement.toQuery())
  return { rows: rows as Row[], rowCount: rowCount ?? 0 }
}

/** The constraint that a statement broke, if that is what went wrong. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined
}
