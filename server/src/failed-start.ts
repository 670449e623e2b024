// A person reads this: faults that an operator can mend are one sentence, others show where they came from.

const ownErrors = [
  'ConfigError',
  'DataDirInUseError',
  'FileStoreError',
  'MasterKeyError',
  'MigrationError',
  'MissingWallError',
]

/** Undefined for faults that are nobody's but ours. */
export function explainFailedStart(
  error: Error & { code?: string; address?: string; port?: number; path?: string },
): string | undefined {
  const why = ownErrors.includes(error.name) ? error.message : explainCode(error)
  return why === undefined ? undefined : `Patchbay cannot start. ${why}`
}

function explainCode({
  code = '',
  message,
  address,
  port,
  path,
}: Parameters<typeof explainFailedStart>[0]): string | undefined {
  if (code === 'EADDRINUSE') {
    return `The address ${address}:${port} is taken by another program. Stop it, or set PATCHBAY_PORT (or PATCHBAY_METRICS_PORT) to another port.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `The port ${port} needs rights that this user does not have. Set PATCHBAY_PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `The address ${address} in PATCHBAY_HOST is not one of this machine.`
  if (
    ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET'].includes(code) ||
    /^(28|3D|08|57P03)/.test(code)
  ) {
    return `The database of PATCHBAY_DATABASE_URL cannot be used: ${message}.`
  }
  if (['EEXIST', 'ENOTDIR', 'EROFS', 'EACCES', 'EPERM', 'ENOSPC'].includes(code)) {
    return `The data directory cannot be used: ${message}${path ? '' : '.'} Set PATCHBAY_DATA_DIR to a directory of your own.`
  }
  return undefined
}
