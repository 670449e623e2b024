// What this process did: runs, blocks and scripts. Labels are closed lists, so the number of series never grows.
import { Counter, Histogram, type Registry } from 'prom-client'

export type WorkMetrics = {
  /** A worker has begun with a run. `attempt` above 0: another one had it and died, or gave it back. */
  onRunTaken(run: { id: string; attempt: number }): void
  onRunEnded(run: { status: string; runBy: string; activeMs: number }): void
  onBlockEnded(block: { status: string; activeMs: number }): void
  onScriptEnded(outcome: string, seconds: number): void
  /** A script process ended although neither the service nor a script ended it. */
  onScriptProcessCrashed(): void
  onFault(part: string): void
}

const shortSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const longSeconds = [...shortSeconds, 300, 900, 3600]

export function createWorkMetrics(registry: Registry): WorkMetrics {
  const registers = [registry]
  const startDelay = new Histogram({
    name: 'patchbay_run_start_delay_seconds',
    help: 'Time from the acceptance of a run until a worker begins with it.',
    buckets: longSeconds,
    registers,
  })
  const takenOver = new Counter({
    name: 'patchbay_runs_taken_over_total',
    help: 'Runs that another worker had begun: it died, lost its connection or was stopped.',
    registers,
  })
  const ended = new Counter({
    name: 'patchbay_runs_ended_total',
    help: 'Runs that ended, by status and by what started them.',
    labelNames: ['status', 'run_by'],
    registers,
  })
  const runSeconds = new Histogram({
    name: 'patchbay_run_duration_seconds',
    help: 'Time from the start of a run to its end, without pauses.',
    labelNames: ['status'],
    buckets: longSeconds,
    registers,
  })
  const blockSeconds = new Histogram({
    name: 'patchbay_block_duration_seconds',
    help: 'Time of a block from start to end, without pauses.',
    labelNames: ['status'],
    buckets: longSeconds,
    registers,
  })
  const scriptSeconds = new Histogram({
    name: 'patchbay_script_duration_seconds',
    help: 'Time of a script in the sandbox, waiting for a process included, by outcome.',
    labelNames: ['outcome'],
    buckets: shortSeconds,
    registers,
  })
  const crashes = new Counter({
    name: 'patchbay_script_process_crashes_total',
    help: 'Script processes that ended unexpectedly, not by the service and not by what a script did. The log has the last words of each.',
    registers,
  })
  const faults = new Counter({
    name: 'patchbay_faults_total',
    help: 'Faults that a part of the service reported. The log has the reasons.',
    labelNames: ['part'],
    registers,
  })
  return {
    onRunTaken: ({ id, attempt }) => {
      if (attempt > 0) takenOver.inc()
      else startDelay.observe(Math.max(0, Date.now() - creationOf(id)) / 1000)
    },
    onRunEnded: ({ status, runBy, activeMs }) => {
      ended.inc({ status, run_by: runBy })
      runSeconds.observe({ status }, activeMs / 1000)
    },
    onBlockEnded: ({ status, activeMs }) => blockSeconds.observe({ status }, activeMs / 1000),
    onScriptEnded: (outcome, seconds) => scriptSeconds.observe({ outcome }, seconds),
    onScriptProcessCrashed: () => crashes.inc(),
    onFault: (part) => faults.inc({ part }),
  }
}

/** Ids of runs begin with the time of their creation in milliseconds. */
function creationOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
