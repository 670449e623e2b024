// How far a long run is, and what took longest.
import { DefaultReporter, type TestModule } from 'vitest/node'
import { Durations } from './durations.ts'

const lineEveryMs = 15_000
const slowestCount = 10
/** A run of a few files is over before anybody wonders. */
const filesMin = 20

export class ProgressReporter extends DefaultReporter {
  #files = 0
  #ended = 0
  #failed = 0
  #toldAt = 0

  override onTestRunStart(...[files]: Parameters<DefaultReporter['onTestRunStart']>): void {
    super.onTestRunStart(files)
    this.#files = files.length
    this.#ended = 0
    this.#failed = 0
    this.#toldAt = performance.now()
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    this.#ended++
    if (module.state() === 'failed') this.#failed++
    if (this.#files < filesMin || performance.now() - this.#toldAt < lineEveryMs) return
    this.#toldAt = performance.now()
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : ''
    this.log(`… ${this.#ended} of ${this.#files} files after ${asMinutes(performance.now() - this.start)}${failed}`)
  }

  override onTestRunEnd(...[modules, errors, reason]: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, errors, reason)
    const durations = new Durations()
    for (const module of modules) durations.note(module.relativeModuleId, timeOf(module))
    durations.save()
    if (modules.length < filesMin) return
    const slowest = modules.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, slowestCount)
    this.log(' The slowest files:')
    for (const module of slowest) this.log(`${asMinutes(timeOf(module)).padStart(9)}  ${module.relativeModuleId}`)
    this.log()
  }
}

/** From the first import to the last hook. */
function timeOf(module: TestModule): number {
  const { duration, setupDuration, collectDuration, prepareDuration } = module.diagnostic()
  return duration + setupDuration + collectDuration + prepareDuration
}

function asMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
