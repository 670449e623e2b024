import { availableParallelism } from 'node:os'
import { affordedProcesses } from './afforded-processes.ts'

export type SandboxOptions = {
  /** Scripts that compute at the same time, not counting those that have for long. */
  size?: number
  /** Processes in all, those included whose script waits for an answer or takes long. */
  processesMax?: number
  /** Of these, how many scripts of one account may have: scripts that sleep must not keep everybody else waiting. */
  processesPerAccount?: number
  /** Scripts after which a process is replaced. */
  runsPerProcess?: number
  /** Scripts that may wait for a process; more are refused. */
  queueMax?: number
  /** Directories of the service that a script process must not see, where the platform can hide them. */
  hiddenPaths?: readonly string[]
}

export type PoolLimits = Required<Omit<SandboxOptions, 'hiddenPaths'>>

export function toPoolLimits(options: SandboxOptions): PoolLimits {
  const size = options.size ?? availableParallelism()
  const processesMax = Math.max(size, options.processesMax ?? affordedProcesses(size))
  return {
    size,
    processesMax,
    processesPerAccount: options.processesPerAccount ?? Math.max(1, size, Math.floor(processesMax / 2)),
    runsPerProcess: options.runsPerProcess ?? 40_000,
    queueMax: options.queueMax ?? 10_000,
  }
}
