/**
 * Whether this process can do its work, and if not, why. Asked by /readyz, and by the process itself, so that the reason stands in its log also
 * when nobody asks:
 *
 *   starting ─(everything listens)─► ready ⇄ not ready   each change is logged once, with the reason
 *
 * A statement that meets a full disk makes the process not ready, whatever this look itself finds: it reads and writes too little to notice. Ready again
 * it is when a write that needs room succeeds.
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { type Database, explainFault, judgeMigrations, sql } from './db/index.ts'
import { Recurring } from './lib/recurring.ts'

const part = 'readiness'
const lookMs = 3000
const answerMsMax = 1500
/** Reading tells little about a server that became a standby or ran out of disk. */
const writeMs = 5000
/** Needs pages of its own, so the server has to ask the disk for them. */
const fillerBytes = 128 * 1024

export type Readiness = { whyNot(): Promise<string | undefined> }

type Installation = {
  migrations: { name: string; mayStay: boolean }[]
  has_keys: boolean
  /** Requests and runs work under another role than this look: what that role lacks would stay unseen. */
  missing_grant: string | null
}

export class ReadinessWatch implements Readiness, AsyncDisposable {
  readonly #database: Database
  readonly #log: Logger
  readonly #looking: Recurring
  /** Resolves, with a sentence, when the database has changed in a way that this program cannot work with. */
  readonly outdated: Promise<string>
  readonly #outdate: (sentence: string) => void
  #isDraining = false
  #isStarted = false
  #last: string | undefined
  #wroteAt = Number.NEGATIVE_INFINITY

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
    this.#looking = new Recurring(() => this.whyNot(), {
      pauseMs: lookMs,
      onFault: (error) => log.error({ part, err: error }, 'The readiness check failed.'),
    })
    const { promise, resolve } = Promise.withResolvers<string>()
    this.outdated = promise
    this.#outdate = resolve
  }

  start(): void {
    this.#looking.start()
  }

  /** Everything listens. Until then the port for health alone is there to be asked. */
  open(): void {
    this.#isStarted = true
  }

  async whyNotYet(): Promise<string | undefined> {
    return this.#isStarted ? this.whyNot() : 'The service is starting.'
  }

  drain(): void {
    this.#isDraining = true
  }

  /** As the last look found it. */
  get isReady(): boolean {
    return this.#isStarted && !this.#isDraining && this.#last === undefined
  }

  async whyNot(): Promise<string | undefined> {
    if (this.#isDraining) return 'The service is shutting down.'
    const late = new Promise<string>((done) =>
      setTimeout(() => done('The database does not answer.'), answerMsMax).unref(),
    )
    const why = await Promise.race([this.#askDatabase().catch(explainFault), late])
    this.#note(why)
    return why
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#looking[Symbol.asyncDispose]()
  }

  async #askDatabase(): Promise<string | undefined> {
    const { system } = this.#database
    // In the embedded database each role signs in by itself and needs no membership in the other; elsewhere the owner signs in and switches to them.
    const { rows } = await system.query<Installation>(sql`
      select exists (select from system_keys) as has_keys,
        (select json_agg(json_build_object('name', name, 'mayStay', older_may_stay) order by name) from migrations) as migrations,
        case when session_user <> 'patchbay_system' and not pg_has_role(session_user, 'patchbay_app', 'member') then format('grant patchbay_app to %I', session_user)
          when not has_schema_privilege('patchbay_app', 'patchbay', 'usage') then 'grant usage on schema patchbay to patchbay_app'
        end as missing_grant`)
    const missing = rows[0]?.missing_grant
    if (missing) return `The database denies the service a privilege it needs. Run: ${missing};`
    if (!rows[0]?.has_keys) return 'The keys of the installation are missing from the database.'
    const verdict = judgeMigrations(rows[0].migrations)
    if (verdict.kind === 'outdated') this.#outdate(verdict.sentence)
    if (verdict.kind !== 'fits') return verdict.sentence
    const { writeFault } = this.#database
    if (writeFault !== undefined) {
      await this.#fillSpace()
      this.#database.forgetWriteFault(writeFault)
    }
    const now = performance.now()
    if (now - this.#wroteAt < writeMs) return undefined
    await system.query(sql`
      insert into write_probe (probed_at) values (now()) on conflict (only_row) do update set probed_at = excluded.probed_at`)
    this.#wroteAt = now
    return undefined
  }

  async #fillSpace(): Promise<void> {
    await this.#database.system.transaction(async (tx) => {
      await tx.query(sql`insert into space_probe (filler) values (${randomBytes(fillerBytes)})`)
      await tx.query(sql`delete from space_probe`)
    })
  }

  #note(why: string | undefined): void {
    if (why === this.#last) return
    this.#last = why
    // What is written next tells whether the fault is over.
    this.#wroteAt = Number.NEGATIVE_INFINITY
    if (why === undefined) this.#log.info({ part }, 'Ready.')
    else this.#log.error({ part, reason: why }, `Not ready. ${why}`)
  }
}
