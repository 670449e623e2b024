import type { ErrorCode } from '@patchbay/contract'
import type { Logger } from 'pino'

export type RequestLine = {
  requestId: string
  method: string
  /** By its route: paths and queries may carry codes and tokens. */
  route: string
  status: number
  ms: number
  /** Tells refusals of one status apart. */
  refusal?: ErrorCode | undefined
  accountId?: string | undefined
}

export function logAnswer(logger: Logger, line: RequestLine): void {
  const { status } = line
  const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'
  if (!logger.isLevelEnabled(level)) return
  logger[level](
    { part: 'http', ...line, ms: Math.round(line.ms * 10) / 10 },
    status >= 500 ? 'Request failed.' : status >= 400 ? 'Request refused.' : 'Request answered.',
  )
}
