// What a process uses, as the system sees it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** How many descriptors of the process lead to files below a directory. */
export function openFilesBelow(pid: number, directory: string): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(directory)
    } catch {
      // Closed since it was listed.
      return false
    }
  }).length
}

/** How many TCP connections the machine holds open at a local port. */
export function connectionsAt(port: number): number {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const established = '01'
  const closeWait = '08'
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(hex) && (state === established || state === closeWait)).length
}

/** The most memory that the process had while the work was done. */
export async function peakMbDuring<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ peakMb: number; result: Result }> {
  let peakMb = residentMb(pid)
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid))
  }, 10)
  try {
    const result = await work()
    return { peakMb, result }
  } finally {
    clearInterval(watch)
  }
}
