import { Recurring } from '../../lib/recurring.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { UpgradeDeps } from '../ports.ts'
import { deleteEndedUpgrades } from '../store.ts'
import { type Turn, upgradeQueue } from '../turn.ts'
import { advanceUpgrade } from './advance.ts'
import { watchUpgrades } from './watch.ts'

const lookMs = 1000
const sweepMs = 10 * 60_000
const upgradesAtOnce = 2

/** Works on upgrades and watches the workflows that were upgraded. */
export class UpgradeWorker implements AsyncDisposable {
  readonly #deps: UpgradeDeps
  readonly #jobs: JobQueue
  readonly #watching: Recurring
  readonly #sweeping: Recurring
  readonly #stop = new AbortController()

  constructor(deps: UpgradeDeps, jobs: JobQueue) {
    this.#deps = deps
    this.#jobs = jobs
    this.#watching = new Recurring(() => this.#watch(), { pauseMs: lookMs, onFault: deps.onFault })
    this.#sweeping = new Recurring(() => deleteEndedUpgrades(deps.database.system, deps.daysKept), {
      pauseMs: sweepMs,
      onFault: deps.onFault,
    })
  }

  async start(): Promise<void> {
    await this.#jobs.work<Turn>(upgradeQueue, upgradesAtOnce, ({ data }) =>
      advanceUpgrade(this.#deps, data, this.#stop.signal),
    )
    this.#watching.start()
    this.#sweeping.startNow()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The process is stopping; the upgrade goes on elsewhere.'))
    await this.#sweeping[Symbol.asyncDispose]()
    await this.#watching[Symbol.asyncDispose]()
  }

  async #watch(): Promise<void> {
    let last = await watchUpgrades(this.#deps, undefined)
    while (last && !this.#watching.isStopping) last = await watchUpgrades(this.#deps, last)
  }
}
