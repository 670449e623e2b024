import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { ReportFault } from './fault-log.ts'
import type { Metrics } from './metrics/index.ts'

/** What every part is made from. */
export type Context = {
  readonly config: Config
  readonly log: Logger
  /** Prints what a person who starts the service should see; everything else is log. */
  say(line: string): void
  /** Everything started is pushed here and stopped in reverse order, also when a later part fails to start. */
  readonly parts: AsyncDisposableStack
  /** How a part reports what went wrong without anybody asking. */
  faultsOf(part: string): ReportFault
  readonly metrics: Metrics
  /** Where links lead. The port may be any free one, so it is known for certain only once it is bound. */
  readonly place: { baseUrl: string }
}
