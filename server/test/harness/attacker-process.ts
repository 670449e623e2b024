// The attackers, seen from a test: another process that leaves the processor to the others first, as if on a machine of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Battlefield } from './assault.ts'
import type { Order, Report } from './attackers.ts'

const program = fileURLToPath(new URL('./attackers.ts', import.meta.url))

export class Attackers implements AsyncDisposable {
  readonly targetOrigin: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, targetOrigin: string) {
    this.#child = child
    this.targetOrigin = targetOrigin
  }

  static async start(): Promise<Attackers> {
    const child = fork(program, { execArgv: [] })
    setPriority(child.pid as number, 19)
    const [report] = (await once(child, 'message')) as [Report]
    if (!('targetOrigin' in report)) throw new Error('The attackers did not say where their target is.')
    return new Attackers(child, report.targetOrigin)
  }

  /** Resolves when every attack has reached the service. */
  async begin(names: string[], field: Battlefield): Promise<void> {
    const begun = once(this.#child, 'message')
    this.#order({ begin: names, field })
    await begun
  }

  /** By attack: how many attempts ended how. */
  async end(): Promise<Record<string, Record<string, number>>> {
    const reported = once(this.#child, 'message') as Promise<[Report]>
    this.#order({ end: true })
    const [report] = await reported
    return 'ends' in report ? report.ends : {}
  }

  #order(order: Order): void {
    this.#child.send(order)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await ended
  }
}
