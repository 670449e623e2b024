import { type Logger, pino } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'
import { toHumanLine } from './human-line.ts'
import { cellLabel } from './lib/cell.ts'

/** Lines on standard error, for programs or for people; standard output is for the person who starts the service. */
export function createLog(level: LogLevel, format: LogFormat): Logger {
  const destination = pino.destination({ fd: 2, sync: false })
  return pino(
    {
      level,
      base: { pid: process.pid, ...cellLabel() },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      // The second wall: code does not log these, and if it ever does, they do not come out.
      redact: {
        paths: [
          '*.secretKey',
          '*.SecretKey',
          '*.secretkey',
          '*.password',
          '*.authorization',
          '*.cookie',
          'req.headers',
          '*.token',
          '*.credentialsJson',
          '*.connectionString',
        ],
        censor: '[hidden]',
      },
    },
    format === 'json' ? destination : { write: (line: string) => void destination.write(toHumanLine(line)) },
  )
}

/** Errors of libraries drag whole connections along; only what helps is written down. Some libraries report a copy that is no `Error`. */
export function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('message' in error)) return { message: String(error) }
  const { name, message, code, stack, cause } = error as Partial<Error> & { code?: unknown }
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) }
}
