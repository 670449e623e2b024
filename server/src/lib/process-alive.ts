import { readFileSync } from 'node:fs'

/** A process is known by its id and the moment it began: ids are used again after a restart of the machine. */
export type ProcessIdentity = { pid: number; startedAt: string | null }

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startedAt: readStat(pid)?.startedAt ?? null }
}

export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    // EPERM: it lives, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = readStat(identity.pid)
  // A zombie is dead; only its parent has not noticed yet.
  if (now && /[ZX]/.test(now.state)) return false
  return identity.startedAt === null || now === null || identity.startedAt === now.startedAt
}

/** State, and clock ticks since boot at which the process began; null where there is no /proc. */
function readStat(pid: number): { state: string; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name is in parentheses and may hold spaces; the state comes after it, and field 22 is the 20th from there.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' }
  } catch {
    return null
  }
}
