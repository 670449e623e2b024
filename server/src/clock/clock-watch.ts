/**
 * A server's clock may be set back or jump ahead, by an operator's hand or by a failover to a machine whose clock differs. Times that were written
 * before then are wrong by the jump: what waits for them would stand still, or come too early. Every worker looks at the clock; the first to see a
 * jump files what is to be moved, in the transaction that notes the new time, and whoever comes by moves it:
 *
 *   jump seen ─► one row in clock_repairs for each table ─(its times are moved)─► gone
 */
import { type Database, type Queryable, transactDespiteDeadlock } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { type ClockLook, judgeJump } from './clock-jump.ts'
import { listRepairedTables, repairsOf } from './repairs.ts'
import { deleteRepair, insertRepairs, listRepairs, updateSeen } from './store.ts'

const lookMs = 3000

export class ClockWatch implements AsyncDisposable {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #looking: Recurring
  #before: ClockLook | undefined

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault })
  }

  start(): void {
    this.#looking.startNow()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#looking[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const jumpMs = await this.#database.system.transaction(async (tx) => {
      const askedMs = performance.now()
      const { seenMs, databaseMs } = await updateSeen(tx)
      const look = { askedMs, databaseMs, answeredMs: performance.now() }
      const jump = judgeJump(look, { seenMs, before: this.#before })
      this.#before = look
      if (jump !== 0) await insertRepairs(tx, listRepairedTables(jump), jump)
      return jump
    })
    if (jumpMs !== 0) this.#onFault(new Error(describeJump(jumpMs)))
    const { system } = this.#database
    for (const id of await listRepairs(system as Queryable)) await this.#repair(id)
  }

  /** One that fails, because an organization is on its way to another cell for example, holds up no other and is tried again at the next look. */
  async #repair(id: string): Promise<void> {
    try {
      await transactDespiteDeadlock(this.#database.system, async (tx) => {
        const repair = await deleteRepair(tx, id)
        if (!repair) return
        for (const statement of repairsOf(repair.table, repair.shiftMs)) await tx.query(statement)
      })
    } catch (error) {
      this.#onFault(error)
    }
  }
}

function describeJump(jumpMs: number): string {
  const seconds = Math.round(Math.abs(jumpMs) / 1000)
  const what = jumpMs < 0 ? `was set back by ${seconds} s` : `jumped ahead by ${seconds} s`
  return `The clock of the database ${what}. Everything that waits for a time is moved with it.`
}
