import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * How long the event loop of this process, in which the service runs, was kept from others while `work` was done: the time that its thread computed
 * between two ticks of a timer. Computing is counted and not waiting, so that a machine with other things to do changes nothing.
 */
export async function loopDelayDuring<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; p99Ms: number; maxMs: number }> {
  const ticksMs: number[] = []
  let last = computedMs()
  const timer = setInterval(() => {
    const now = computedMs()
    ticksMs.push(now - last)
    last = now
  }, 2)
  try {
    const result = await work()
    ticksMs.push(computedMs() - last)
    ticksMs.sort((one, other) => one - other)
    return { result, p99Ms: ticksMs[Math.floor(ticksMs.length * 0.99)] as number, maxMs: ticksMs.at(-1) as number }
  } finally {
    clearInterval(timer)
  }
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Gets ready to ask from another thread; what it returns asks, and reads the answer to its end without keeping or parsing it. So only the service is
 * measured.
 */
export async function prepareRequest(
  url: string,
  init: RequestInit,
): Promise<() => Promise<{ status: number; bytes: number }>> {
  const thread = new Worker(new URL('./loop-delay-client.ts', import.meta.url), { workerData: { url, init } })
  await once(thread, 'message')
  return async () => {
    const answered = once(thread, 'message')
    thread.postMessage('go')
    const [answer] = (await answered) as [{ status: number; bytes: number }]
    return answer
  }
}
