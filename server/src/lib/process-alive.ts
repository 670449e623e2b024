import { readFileSync } from 'node:fs'

/** A process is known by its id and the moment it began: ids are used again after a restart of the machine. */
export type ProcessIdentity = { pid: number; startedAt: string | null }

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startedAt: startTicks(pid) }
}

export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    // EPERM: it lives, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = startTicks(identity.pid)
  return identity.startedAt === null || now === null || identity.startedAt === now
}

/** Clock ticks since boot at which the process began; null where there is no /proc. */
function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name is in parentheses and may hold spaces; field 22 is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
