// Which faults of the database a second try may not meet. SQLSTATE classes: 08 connection, 40 transaction, 53 resources, 55 object in use,
// 57 operator intervention, 58 input and output; 25006 is a write on a server that became a standby.
import { cannotWriteFiles, codeOf, isDiskFull, isOutOfConnections, isReadOnly, lacksPrivilege } from './sqlstates.ts'

const networkFault = /^(E[A-Z]+|EAI_[A-Z]+)$/
/** The driver gives these no code. */
const driverFault = /timeout|terminated|not queryable|Client was closed|Connection/i

/** True for a lost connection, a server that stops, starts, is read-only or denies a right, a deadlock, a lock that took too long. */
export function isTransient(error: unknown): boolean {
  return isAway(error) || isDenied(error) || /^(40|55)/.test(codeOf(error) ?? '')
}

/** A schema that a role may not use is not looked into: for that role, its tables and functions do not exist. Operators always do. */
function isUnseen(error: unknown): boolean {
  const code = codeOf(error)
  return code === '42P01' || (code === '42883' && messageOf(error).startsWith('function'))
}

/** True when the service lacks a right, which somebody took away and will give back. A row of another account is refused in other words. */
export function isDenied(error: unknown): boolean {
  return isUnseen(error) || (lacksPrivilege(error) && messageOf(error).startsWith('permission denied'))
}

/** True when the server, or the way to it, is at fault, and no statement. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return /^(08|53|57|58|25006)/.test(code) || networkFault.test(code)
  return driverFault.test(messageOf(error))
}

/** Files and targets fail with codes too, but none of theirs gets as far as an answer without a sentence of its own. */
const unreachable = new Set([
  '25006',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
const unreachableWords =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|Client was closed/

/** Narrower than `isAway`: for whoever meets faults of anything, not of the database alone. */
export function isUnreachable(error: unknown): boolean {
  return unreachable.has(codeOf(error) ?? '') || unreachableWords.test(messageOf(error))
}

const notThere = new Set([
  ...unreachable,
  'ECONNABORTED',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
])

/** True for a server that is not there yet, or not the leader yet: it may come without anybody changing a setting. */
export function isNotThereYet(error: unknown): boolean {
  return notThere.has(codeOf(error) ?? '') || /^(timeout expired|Connection terminated)/.test(messageOf(error))
}

/** True when the connection that met the fault is of no further use. */
export function endsConnection(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (/^(08|57P|25006)/.test(code) || networkFault.test(code))
}

/** The queue reports copies of errors, which are no `Error` any more. */
function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
}

/** What a client reads: true, and without anything about the inside. */
export function describeFault(error: unknown): string {
  if (isDiskFull(error)) return 'The disk of the database is full. Try again later.'
  if (cannotWriteFiles(error)) return 'The database cannot write to its disk. Try again later.'
  if (isReadOnly(error)) return 'The database accepts no writes at the moment. Try again.'
  if (isOutOfConnections(error)) return 'The database has no connections left at the moment. Try again.'
  if (isDenied(error)) return 'The database denies the service a privilege. Try again later.'
  return 'The database cannot be reached at the moment. Try again.'
}

/** What an operator reads of a database that cannot be used, in one sentence. */
export function explainFault(error: unknown): string {
  const code = codeOf(error) ?? ''
  // A name with several addresses fails with an error for each, and no message of its own.
  const message = (error instanceof Error ? error.message : String(error)) || code
  if (isReadOnly(error)) {
    return 'The database is read-only: none of its hosts accepts writes at the moment. Those that answer are standbys, or have default_transaction_read_only set.'
  }
  if (isDiskFull(error)) return `The disk of the database is full: ${message}.`
  if (cannotWriteFiles(error)) return `The database cannot write to its disk: ${message}.`
  if (isOutOfConnections(error)) return tooManyConnections
  if (lacksPrivilege(error)) return `The database denies the service a privilege it needs: ${message}.`
  if (isUnseen(error)) {
    return `The service is not allowed to use its schema in the database: ${message}. Run: grant usage on schema patchbay to patchbay_app, patchbay_system;`
  }
  if (code.startsWith('57P')) return `The database is stopping or starting: ${message}.`
  return `The database cannot be reached: ${message}.`
}

export const tooManyConnections =
  'The database has no connections left. A Patchbay process uses up to 26: raise max_connections, or run fewer processes.'
