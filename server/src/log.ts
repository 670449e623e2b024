import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'
import { toHumanLine } from './human-line.ts'
import { cellLabel } from './lib/cell.ts'
import { type Dropped, LineOutput } from './line-output.ts'

/** Lines on standard error, for programs or for people; standard output is for the person who starts the service. */
export function openLog(level: LogLevel, format: LogFormat): { log: Logger; output: LineOutput } {
  const options: LoggerOptions = {
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
  }
  const shape = format === 'json' ? (line: string) => line : toHumanLine
  const toNotice = ({ lines, reason }: Dropped) => {
    const notices: string[] = []
    const noticeLog = pino({ ...options, level: 'warn' }, { write: (line: string) => void notices.push(shape(line)) })
    noticeLog.warn({ part: 'log', lines, reason }, `Log lines dropped: ${lines}. ${reason}`)
    return notices.join('')
  }
  const output = new LineOutput({ fd: 2, toNotice })
  return { log: pino(options, { write: (line: string) => output.write(shape(line)) }), output }
}

/** Errors of libraries drag whole connections along; only what helps is written down. Some libraries report a copy that is no `Error`. */
export function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('message' in error)) return { message: String(error) }
  const { name, message, code, stack, cause } = error as Partial<Error> & { code?: unknown }
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) }
}
