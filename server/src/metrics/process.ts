// What this process has in hand right now, asked when somebody looks.
import { Counter, Gauge, type Registry } from 'prom-client'

export type PoolUse = { total: number; idle: number; waiting: number }

export type ProcessSource = {
  pools(): Record<string, PoolUse>
  sandbox(): { processes: number; computing: number; queued: number }
  logLinesDropped(): number
  isReady(): boolean
  /** Of the data directory; undefined while nobody has looked. */
  disk(): { freeBytes: number; totalBytes: number; floorBytes: number } | undefined
}

export function addProcessMetrics(registry: Registry, source: ProcessSource): void {
  const registers = [registry]
  new Gauge({
    name: 'patchbay_database_connections',
    help: 'Connections to the database by pool and state.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { total, idle }] of Object.entries(source.pools())) {
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'busy' }, total - idle)
      }
    },
  })
  new Gauge({
    name: 'patchbay_database_waiting',
    help: 'Work that waits for a connection to the database.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(source.pools())) this.set({ pool }, waiting)
    },
  })
  const ofSandbox = (name: string, help: string, read: (load: ReturnType<ProcessSource['sandbox']>) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(source.sandbox()))
      },
    })
  ofSandbox('patchbay_script_processes', 'Processes for scripts.', (load) => load.processes)
  ofSandbox('patchbay_scripts_computing', 'Scripts that compute.', (load) => load.computing)
  ofSandbox('patchbay_scripts_waiting', 'Scripts that wait for a process.', (load) => load.queued)
  new Gauge({
    name: 'patchbay_ready',
    help: '1 while /readyz of this process says ready, 0 while it does not.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(source.isReady() ? 1 : 0)
    },
  })
  addDiskMetrics(registers, source)
  new Counter({
    name: 'patchbay_log_lines_dropped_total',
    help: 'Lines that standard output or standard error did not take, because the disk is full or the reader has left or stalls.',
    registers,
    collect() {
      this.reset()
      this.inc(source.logLinesDropped())
    },
  })
}

/** With the embedded database this is its disk, too. That of a database elsewhere is known to nobody here. */
function addDiskMetrics(registers: Registry[], source: ProcessSource): void {
  const ofDisk = (name: string, help: string, read: (disk: NonNullable<ReturnType<ProcessSource['disk']>>) => number) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'min',
      collect() {
        const disk = source.disk()
        if (disk) this.set(read(disk))
        else this.remove()
      },
    })
  ofDisk('patchbay_disk_free_bytes', 'Free space on the disk of the data directory.', (disk) => disk.freeBytes)
  ofDisk('patchbay_disk_size_bytes', 'Size of the disk of the data directory.', (disk) => disk.totalBytes)
  ofDisk(
    'patchbay_disk_floor_bytes',
    'With less free space than this no new work is accepted.',
    (disk) => disk.floorBytes,
  )
}
