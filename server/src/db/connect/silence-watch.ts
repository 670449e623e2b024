/**
 * Finds connections that died without a word: a firewall that forgot them, a machine that vanished. TCP would notice after a quarter of an hour.
 *
 *   an answer is owed for five seconds ─► ask the server, over a new connection, what that session does
 *     ─► it works on the statement: wait on.   ─► it does not, or the server cannot be asked: the connection is destroyed
 *
 * A slow statement is thus left alone, and whoever waits on a dead connection is told within fifteen seconds.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { counted } from '../../lib/counted.ts'
import type { Hosts } from './hosts.ts'
import { Session } from './session.ts'

const lookEveryMs = 1000
const silentMsMax = 5000
const askMsMax = 5000
/** An answer may be under way while the server already calls the session idle. */
const lateAnswerMs = 300

export class SilenceWatch implements Disposable {
  readonly #hosts: Hosts
  readonly #report: (error: Error) => void
  readonly #sessions = new Set<Session>()
  readonly #timer: NodeJS.Timeout
  #isAsking = false

  constructor(hosts: Hosts, report: (error: Error) => void) {
    this.#hosts = hosts
    this.#report = report
    this.#timer = setInterval(() => this.#look(), lookEveryMs)
    this.#timer.unref()
  }

  add(session: Session): void {
    this.#sessions.add(session)
    session.once('end', () => this.#sessions.delete(session))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const session of this.#sessions) session.listen()
    const silent = [...this.#sessions].filter(({ silentMs }) => silentMs > silentMsMax)
    if (silent.length === 0 || this.#isAsking) return
    this.#isAsking = true
    void this.#judge(silent).finally(() => {
      this.#isAsking = false
    })
  }

  async #judge(silent: readonly Session[]): Promise<void> {
    const heard = new Map(silent.map((session) => [session, session.heardAt]))
    const working = await this.#listWorking(silent)
    await wait(lateAnswerMs)
    for (const session of silent) session.listen()
    const dead = silent.filter(
      (session) => !working.has(session) && session.isBusy && session.heardAt === heard.get(session),
    )
    if (dead.length === 0) return
    const lastHeard = Math.max(...dead.map(({ heardAt }) => heardAt))
    this.#report(
      new Error(
        `The database stopped answering on ${counted(dead.length, 'connection')}. Replacing ${dead.length === 1 ? 'it' : 'them'}.`,
      ),
    )
    for (const session of dead) session.destroy()
    // What was idle all that time went the same way, most likely; a new connection costs little.
    for (const session of this.#sessions) if (!session.isBusy && session.heardAt < lastHeard) session.destroy()
  }

  /** None when the server cannot be asked. */
  async #listWorking(silent: readonly Session[]): Promise<Set<Session>> {
    let asked: Session | undefined
    const deadline = setTimeout(() => asked?.destroy(), askMsMax)
    try {
      const fresh = await this.#hosts.tryEach(async () => {
        // As the user that signed in: a role it stepped down to may not see what the sessions of that user do.
        asked = new Session({ hosts: this.#hosts, role: 'owner' })
        await asked.connect()
        return asked
      })
      const { rows } = await fresh.query<{ pid: number }>({
        text: `select pid from pg_stat_activity where pid = any($1::integer[]) and state = 'active' and wait_event_type is distinct from 'Client'`,
        values: [silent.map(({ backendPid }) => backendPid)],
      })
      const pids = new Set(rows.map(({ pid }) => pid))
      return new Set(silent.filter((session) => session.target === fresh.target && pids.has(session.backendPid)))
    } catch {
      return new Set()
    } finally {
      clearTimeout(deadline)
      void asked?.end().catch(() => {})
    }
  }
}
