import type { Builtins, Host } from './take-builtins.ts'

export type RealmLog = {
  log(...values: unknown[]): void
  format(value: unknown): string
  /** A script has the whole of its log for itself. */
  reset(): void
}

/** `console.log` and its like. Its text is compiled inside the isolate. */
export function makeLog({ isFiniteNumber, ErrorOfRealm, StringOfRealm, jsonOf, cut }: Builtins, host: Host): RealmLog {
  let left = 0
  const format = (value: unknown): string => {
    if (typeof value === 'string') return value === '' ? 'null' : value
    if (typeof value === 'number') return isFiniteNumber(value) ? `${value}` : 'null'
    if (typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
    if (value === undefined || value === null || typeof value === 'symbol') return 'null'
    try {
      return value instanceof ErrorOfRealm ? StringOfRealm(value) : jsonOf(value)
    } catch {
      return '(a value that cannot be written as JSON)'
    }
  }
  const log = (...values: unknown[]): void => {
    if (left <= 0) return
    let line = values.length === 0 ? 'null' : ''
    for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + format(values[i])
    const isCut = line.length >= left
    // Some more than the limit goes out: the service hides secrets first and cuts afterwards.
    line = cut(line, left + 65_536)
    left = isCut ? 0 : left - line.length - 1
    host.log(line, isCut)
  }
  return {
    log,
    format,
    reset: () => {
      left = host.logBytesMax
    },
  }
}
