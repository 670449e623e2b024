import { totalmem } from 'node:os'

const PROCESS_BYTES_SHARE = 192 * 1_048_576

/** @param size scripts that compute at the same time */
export function affordedProcesses(size: number): number {
  // A process whose script waits takes about 35 MB of its own, and goes when it is not needed any more.
  return Math.max(size + 10, Math.min(64, Math.floor(totalmem() / PROCESS_BYTES_SHARE)))
}
