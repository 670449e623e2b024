import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { LIFELINE_DESCRIPTOR } from '../protocol.ts'

const REPORT_MEMORY_MS = 50

/**
 * Scripts run on the thread that would hear of the service's end, and one that never stops would outlive the service. So another thread
 * listens. Where the service cannot look at this process, that thread also reports its size. Resolves when the thread runs: while it is being
 * made, no isolate may be (see snapshot.ts).
 */
export async function holdLifeline(reportsMemory: boolean): Promise<void> {
  const reportMs = reportsMemory ? REPORT_MEMORY_MS : 0
  // As text, because this process may not read files any more when the thread starts.
  const thread = new threads.Worker(`(${listen.toString()})(require, ${LIFELINE_DESCRIPTOR}, ${reportMs})`, {
    eval: true,
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 },
  })
  // A thread can be started without the permissions of its process, so nobody gets another one.
  Reflect.deleteProperty(threads, 'Worker')
  syncBuiltinESMExports()
  await once(thread, 'online')
}

/** Its text is run in the other thread, so it can use nothing from this module. */
function listen(load: NodeJS.Require, descriptor: number, reportMs: number): void {
  const { readSync, writeSync } = load('node:fs') as typeof import('node:fs')
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
  // Nothing is ever sent: this returns when the other end is closed.
  guarded(() => readSync(descriptor, Buffer.alloc(1)))
  end()
}
