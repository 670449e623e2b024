import { availableParallelism } from 'node:os'
import type { GuestExit } from '../process/guest-jobs.ts'
import { affordedProcesses } from './afforded-processes.ts'

export type SandboxOptions = {
  /** Scripts that compute at the same time, not counting those that have for long. */
  size?: number
  /** Processes of the service that share this machine; each takes its part. */
  sharedBy?: number
  /** Processes in all, those included whose script waits for an answer or takes long. */
  processesMax?: number
  /** Of these, how many scripts of one account may have. Undefined: a share of what others leave (see process-shares.ts). */
  processesPerAccount?: number | undefined
  /** Scripts after which a process is replaced. */
  runsPerProcess?: number
  /** Processes started in ten seconds only to keep organizations apart. Each start takes about 150 ms of a processor. */
  separationsMax?: number
  /** Scripts that may wait for a process; more are refused. */
  queueMax?: number
  /** Directories and files of the service that a script process must not see, where the platform can hide them. */
  hiddenPaths?: readonly string[]
  /** No scripts at all rather than scripts with a wall missing. */
  isStrict?: boolean
  /** Told of each process that ended although neither the service nor a script ended it. */
  onCrash?: ((crash: GuestExit) => void) | undefined
  /** Where it is kept what the isolates of a process reserve on this machine, so that not every start has to measure it. */
  measuredFile?: string
  /** For tests: the limit of a process's data as somebody might assume it, in place of the measured one. */
  dataBytes?: number
}

export type PoolLimits = Required<
  Omit<SandboxOptions, 'hiddenPaths' | 'isStrict' | 'sharedBy' | 'onCrash' | 'measuredFile' | 'dataBytes'>
>

export function toPoolLimits(options: SandboxOptions): PoolLimits {
  const { sharedBy = 1 } = options
  const size = options.size ?? Math.ceil(availableParallelism() / sharedBy)
  const processesMax = Math.max(size, options.processesMax ?? Math.ceil(affordedProcesses(size) / sharedBy))
  return {
    size,
    processesMax,
    processesPerAccount: options.processesPerAccount,
    runsPerProcess: options.runsPerProcess ?? 40_000,
    separationsMax: options.separationsMax ?? 12,
    queueMax: options.queueMax ?? 10_000,
  }
}
