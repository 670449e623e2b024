import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { LIFELINE_DESCRIPTOR } from '../protocol.ts'

const REPORT_MEMORY_MS = 50

/** The last job that was begun or taken back. Both threads only ever raise it, and whoever does decides about the jobs in between. */
const decided = new Int32Array(new SharedArrayBuffer(4))

/**
 * Scripts run on the thread that would hear of the service's end, and one that never stops would outlive the service. So another thread
 * listens. It also hears when the service wants scripts back that it sent ahead, which the busy thread could not. Where the service cannot
 * look at this process, that thread reports its size instead. Resolves when the thread runs: while it is being made, no isolate may be (see
 * snapshot.ts).
 */
export async function holdLifeline(reportsMemory: boolean): Promise<void> {
  const reportMs = reportsMemory ? REPORT_MEMORY_MS : 0
  // As text, because this process may not read files any more when the thread starts.
  const program = `(${listen.toString()})(require, ${raise.toString()}, ${LIFELINE_DESCRIPTOR}, ${reportMs})`
  const thread = new threads.Worker(program, {
    eval: true,
    env: {},
    workerData: decided,
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 },
  })
  // A thread can be started without the permissions of its process, so nobody gets another one.
  Reflect.deleteProperty(threads, 'Worker')
  syncBuiltinESMExports()
  await once(thread, 'online')
}

/** False when the service took the job back. */
export function claimJob(job: number): boolean {
  return raise(decided, job) < job
}

/** Raises the number to that of the job, and returns what it was before. Its text runs in the other thread, too. */
function raise(cell: Int32Array, job: number): number {
  for (;;) {
    const found = Atomics.load(cell, 0)
    if (found >= job || Atomics.compareExchange(cell, 0, found, job) === found) return found
  }
}

/** Its text is run in the other thread, so it can use nothing from this module. */
function listen(load: NodeJS.Require, raiseThere: typeof raise, descriptor: number, reportMs: number): void {
  const { readSync, writeSync } = load('node:fs') as typeof import('node:fs')
  const { workerData } = load('node:worker_threads') as { workerData: Int32Array }
  const end = (): void => {
    process.kill(process.pid, 'SIGKILL')
  }
  const guarded = (work: () => void): void => {
    try {
      work()
    } catch {
      end()
    }
  }
  if (reportMs > 0) {
    setInterval(() => guarded(() => writeSync(descriptor, `${process.memoryUsage.rss()}\n`)), reportMs)
    return
  }
  const chunk = Buffer.alloc(4096)
  let text = ''
  guarded(() => {
    // Nothing is read any more when the other end is closed.
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      const lines = (text + chunk.toString('latin1', 0, count)).split('\n')
      text = lines.pop() as string
      for (const line of lines) writeSync(descriptor, `${raiseThere(workerData, Number(line))}\n`)
    }
  })
  end()
}
