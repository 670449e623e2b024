// A person reads this: faults that an operator can mend are one sentence, others show where they came from.

import {
  isOutOfConnections,
  isProtocolViolation,
  isReadOnly,
  lacksPrivilege,
  refusesSessions,
  tooManyConnections,
} from './db/index.ts'

const ownErrors = [
  'ConfigError',
  'DataDirInUseError',
  'FileStoreError',
  'MasterKeyError',
  'MigrationError',
  'MissingRoleError',
  'MissingWallError',
  'WrongRoleError',
]

/** Undefined for faults that are nobody's but ours. */
export function explainFailedStart(
  error: Error & { code?: string; address?: string; port?: number; path?: string },
): string | undefined {
  const why = ownErrors.includes(error.name) ? error.message : explainCode(error)
  return why === undefined ? undefined : `Patchbay cannot start. ${why}`
}

function explainCode(error: Parameters<typeof explainFailedStart>[0]): string | undefined {
  const { code = '', message, address, port, path } = error
  if (code === 'EADDRINUSE') {
    return `The address ${address}:${port} is taken by another program. Stop it, or set PATCHBAY_PORT (or PATCHBAY_METRICS_PORT) to another port.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `The port ${port} needs rights that this user does not have. Set PATCHBAY_PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `The address ${address} in PATCHBAY_HOST is not an address of this machine.`
  if (isOutOfConnections(error)) return tooManyConnections
  if (lacksPrivilege(error)) return `The user of PATCHBAY_DATABASE_URL must own the database: ${message}.`
  if (isReadOnly(error)) return 'No host in PATCHBAY_DATABASE_URL accepts writes: each is a standby or read-only.'
  if (/CERT|ERR_TLS|UNABLE_TO_/.test(code)) {
    return `The certificate of the database server cannot be verified: ${message}. In PATCHBAY_DATABASE_URL, set sslrootcert=/path/to/ca.crt and use the host name that is in the certificate.`
  }
  if (isProtocolViolation(error) && message.includes('startup parameter')) {
    return `The pooler in front of PostgreSQL refuses the connection: ${message}. In PgBouncer, set ignore_startup_parameters = options and pool_mode = session.`
  }
  if (/^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/.test(message)) {
    return 'The database of PATCHBAY_DATABASE_URL provided no connection in time. Check its address; behind PgBouncer, raise default_pool_size (20 unless set): a Patchbay process uses up to 26 connections.'
  }
  if (
    ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET'].includes(code) ||
    refusesSessions(error) ||
    /^(timeout expired|Connection terminated|The server does not support SSL)/.test(message)
  ) {
    return `The database of PATCHBAY_DATABASE_URL cannot be used: ${message}.`
  }
  if (['EEXIST', 'ENOTDIR', 'EROFS', 'EACCES', 'EPERM', 'ENOSPC'].includes(code)) {
    return `The data directory cannot be used: ${message}${path ? '' : '.'} Set PATCHBAY_DATA_DIR to a directory of your own.`
  }
  return undefined
}
