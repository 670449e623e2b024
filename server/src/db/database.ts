// Connections. Two roles, neither owner nor superuser, each with a pool, and a small pool for lookups:
//  - `patchbay_app` sees only rows of the organization and account that its session names (row-level security, forced);
//  - `patchbay_system` serves work that belongs to no single account: authentication, webhook intake, dispatching, mail.
// Clients work in pipeline mode: statements that do not wait for each other's answers travel in one round trip.
import pg from 'pg'
import { type ConnectionSettings, clientSettings, type ServiceRole } from './connection.ts'
import { startListener } from './listener.ts'
import type { Statement } from './sql.ts'

export type Scope = { readonly organizationId: string; readonly accountId: string }

export type Rows<Row> = { rows: Row[]; rowCount: number }

export type Queryable = {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Rows<Row>>
}

export type Tx = Queryable & {
  readonly isTransaction: true
  /** Calls back once the transaction is final, and never when it is rolled back. */
  afterCommit(callback: () => void): void
}

/** What a feature gets: statements and transactions within one scope. */
export type Db = Queryable & { transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> }

// PostgreSQL's bigint: our counters stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export class Database implements AsyncDisposable {
  readonly system: Db
  /**
   * Short reads that somebody may need in the middle of a transaction, such as the key of an account. Their connections are never held by a
   * transaction: were they taken from a pool whose clients all wait for a lock of that transaction, nobody could go on.
   */
  readonly lookups: Queryable
  readonly #settings: ConnectionSettings
  readonly #app: pg.Pool
  readonly #system: pg.Pool
  readonly #lookups: pg.Pool
  #isClosing = false
  /** The scope each client's session is set to. */
  readonly #scopes = new WeakMap<pg.PoolClient, string>()

  constructor(
    settings: ConnectionSettings,
    onError: (error: Error) => void,
    sizes = { app: 10, system: 8, lookups: 2 },
  ) {
    this.#settings = settings
    // A server that ends our idle connections while we close them is not a fault.
    const report = (error: Error) => {
      if (!this.#isClosing) onError(error)
    }
    this.#app = makePool(settings, 'patchbay_app', sizes.app, report)
    this.#system = makePool(settings, 'patchbay_system', sizes.system, report)
    this.#lookups = makePool(settings, 'patchbay_system', sizes.lookups, report)
    this.system = this.#dbOn(this.#system, undefined)
    this.lookups = { query: this.#dbOn(this.#lookups, undefined).query }
  }

  /** Everything a request does for an account goes through here. */
  forScope(scope: Scope): Db {
    return this.#dbOn(this.#app, scope)
  }

  /** For the queue library, which brings its own text (also several statements at once) and reads the driver's own answer. */
  executeRaw(text: string, values: unknown[] | undefined): Promise<{ rows: unknown[] }> {
    return this.#system.query(text, values)
  }

  /**
   * A connection of its own that only listens. `onConnect` runs after every (re)connection: what was said while it was away was not heard.
   */
  async listen(
    channel: string,
    onMessage: (payload: string) => void,
    onConnect: () => void,
  ): Promise<{ close(): Promise<void> }> {
    return startListener(this.#settings, channel, onMessage, onConnect)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#app, this.#system, this.#lookups].map((pool) => pool.end()))
  }

  #dbOn(pool: pg.Pool, scope: Scope | undefined): Db {
    return {
      query: async <Row>(statement: Statement) => {
        const client = await pool.connect()
        let broken: Error | undefined
        try {
          const scoped = this.#enterScope(client, scope)
          const result = run<Row>(client, statement)
          // If the scope cannot be set, nobody waits for the statement behind it.
          result.catch(() => {})
          await scoped
          return await result
        } catch (error) {
          broken = connectionFault(error)
          throw error
        } finally {
          client.release(broken)
        }
      },
      transaction: async (work) => {
        const client = await pool.connect()
        let broken: Error | undefined
        try {
          // The scope is set before the transaction begins: inside, a rollback would take it back unseen.
          const opened = Promise.all([this.#enterScope(client, scope), client.query('begin')])
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
          }
          opened.catch(() => {})
          let result: Awaited<ReturnType<typeof work>>
          try {
            result = await work(tx)
            // Statements that nobody awaited must have succeeded too, before anything is made final.
            await opened
            await Promise.all(pending)
            await client.query('commit')
          } catch (error) {
            await Promise.allSettled(pending)
            await client.query('rollback').catch((fault: Error) => {
              broken = fault
            })
            throw error
          }
          for (const callback of callbacks) callback()
          return result
        } catch (error) {
          broken ??= connectionFault(error)
          throw error
        } finally {
          client.release(broken)
        }
      },
    }
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

function makePool(
  settings: ConnectionSettings,
  role: ServiceRole,
  max: number,
  onError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(settings, role),
    max,
    pipeline: true,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: false,
  })
  pool.on('error', onError)
  // A connection that dies while somebody works with it says so as well, beside failing the work; unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

/** Errors of a statement leave the connection usable; these classes (operator intervention, connection) and the system's own do not. */
function connectionFault(error: unknown): Error | undefined {
  if (error instanceof pg.DatabaseError) return /^(57|08)/.test(error.code ?? '') ? error : undefined
  return error instanceof Error && 'errno' in error ? error : undefined
}

/** The constraint that a statement broke, if that is what went wrong. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined
}
