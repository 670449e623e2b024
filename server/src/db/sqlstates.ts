// The SQLSTATEs that the service tells apart, by name. Nobody outside this room knows the codes themselves. Which of them a second try may not
// meet is said in faults.ts.

/** As PostgreSQL itself says it of a statement that writes on a standby. */
export const readOnlyState = '25006'

/** True for every fault of a server that accepts no writes. */
export const isReadOnly = among(readOnlyState)
export const isDiskFull = among('53100')
/** The server cannot write its files: the disk is full, or fails. Small writes may still succeed, where pages have room. */
export const cannotWriteFiles = among('53100', '58030')
export const isOutOfConnections = among('53300')
export const lacksPrivilege = among('42501')
export const isProtocolViolation = among('08P01')
export const isLockTimeout = among('55P03')
export const isDeadlock = among('40P01')
/** Two partitions of one table claim the same rows. */
export const isPartitionOverlap = among('42P17')
/** The tables, the schema or a setting of the schema that every installation has is not there. */
export const isNotInstalled = among('42P01', '3F000', '22023')
/** NUL characters and invalid text: JSON and URLs can carry them, PostgreSQL's text cannot. */
export const isUnstorableText = among('22021', '22P05')
/** Raised by the barrier around an organization that is on its way to another cell. */
export const isBeingMoved = among('PBMOV')
/** A value that PostgreSQL cannot hold. */
export const isUnstorableValue = inClass('22')
/** Nobody gets a session: authentication (28), an unknown database (3D), a lost connection (08), missing resources (53), a server that stops (57). */
export const refusesSessions = inClass('28', '3D', '08', '53', '57')

/** The code of any fault, whether the database's, the network's or a file's. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

function among(...states: string[]): (error: unknown) => boolean {
  return (error) => states.includes(codeOf(error) ?? '')
}

function inClass(...classes: string[]): (error: unknown) => boolean {
  return (error) => classes.includes((codeOf(error) ?? '').slice(0, 2))
}
