// Requests that a webhook refused, so that whoever cannot send can find out why. Anybody may send anything to the address of a webhook, so what is
// written is bounded: a sum for each reason and hour, and the newest ten, together once a second.
import type { Database } from '../../db/index.ts'
import { insertRefusals, type NewRefusal, type RefusalSum } from './refusal-store.ts'

export const refusalsKept = 10
const flushMs = 500
/** What is noted between two writes; more are counted as nothing. */
const workflowsMax = 5_000
/** Sentences differ in few words only, but some repeat what a sender wrote. */
const reasonsMax = 20
const reasonCharactersMax = 500
const headersMax = 60
const headerCharactersMax = 100

type Gathered = { sums: Map<string, RefusalSum>; newest: NewRefusal[] }

export class RefusalLog {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  #gathered = new Map<string, Gathered>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  note(
    of: { workflowId: string; accountId: string },
    refused: Omit<NewRefusal, 'workflowId' | 'accountId' | 'at'>,
  ): void {
    const { workflowId, accountId } = of
    const gathered: Gathered = this.#gathered.get(workflowId) ?? { sums: new Map(), newest: [] }
    if (this.#gathered.size >= workflowsMax && gathered.sums.size === 0) return
    this.#gathered.set(workflowId, gathered)
    const at = new Date()
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)
    const { statusCode } = refused
    const reason = refused.reason.slice(0, reasonCharactersMax)
    const known = gathered.sums.get(`${hour.getTime()} ${statusCode} ${reason}`)
    if (known) known.refusals++
    else if (gathered.sums.size < reasonsMax)
      gathered.sums.set(`${hour.getTime()} ${statusCode} ${reason}`, {
        workflowId,
        accountId,
        hour,
        statusCode,
        reason,
        refusals: 1,
      })
    const headerNames = refused.headerNames.slice(0, headersMax).map((name) => name.slice(0, headerCharactersMax))
    gathered.newest.push({ workflowId, accountId, at, statusCode, reason, ipAddress: refused.ipAddress, headerNames })
    if (gathered.newest.length > refusalsKept) gathered.newest.shift()
    this.#timer ??= setTimeout(() => void this.#flush().catch(this.#onFault), flushMs).unref()
  }

  async #flush(): Promise<void> {
    const all = [...this.#gathered.values()]
    this.#gathered = new Map()
    this.#timer = undefined
    await this.#database.system.transaction((tx) =>
      insertRefusals(
        tx,
        all.flatMap(({ sums }) => [...sums.values()]),
        all.flatMap(({ newest }) => newest),
        refusalsKept,
      ),
    )
  }
}
