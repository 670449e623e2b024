/**
 * Threads for work that would keep the event loop from everybody. Owners take turns, so that one with much work waits for itself.
 *
 *   queued ─(a thread is free)─► under way ─► answered; a thread that had nothing to do for a while ends
 *
 * A thread gets copies. Whoever has the bytes may have shown them to others, to the recording of a run for example, and a buffer that is
 * handed over is empty for all of them. Copying costs a millisecond for several megabytes.
 */
import { Worker } from 'node:worker_threads'
import { endThread } from './end-thread.ts'

type Work<Input, Output> = {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

type Reply<Output> = { output: Output } | { error: string }

export type ThreadPoolOptions = { threadsMax?: number; memoryMbMax?: number; idleMs?: number }

export class ThreadPool<Input, Output> {
  readonly #entry: URL
  readonly #options: Required<ThreadPoolOptions>
  readonly #queues = new Map<string, Work<Input, Output>[]>()
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  #threads = 0

  /** `entry` calls `answerWork` of this file. */
  constructor(entry: URL, options: ThreadPoolOptions = {}) {
    this.#entry = entry
    this.#options = { threadsMax: 2, memoryMbMax: 512, idleMs: 30_000, ...options }
  }

  /** The input is the caller's before and after. Rejects when the work throws or takes more memory than a thread has. */
  run(owner: string, input: Input): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    const queue = this.#queues.get(owner)
    const work = { input, resolve, reject }
    if (queue) queue.push(work)
    else this.#queues.set(owner, [work])
    this.#pump()
    return promise
  }

  #pump(): void {
    for (const [owner, queue] of this.#queues) {
      const thread = this.#takeThread()
      if (!thread) return
      this.#queues.delete(owner)
      const work = queue.shift() as Work<Input, Output>
      // Behind all others: the next turn is theirs.
      if (queue.length > 0) this.#queues.set(owner, queue)
      this.#begin(thread, work)
    }
  }

  #takeThread(): Worker | undefined {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(thread)
      return thread
    }
    if (this.#threads >= this.#options.threadsMax) return undefined
    this.#threads++
    const thread = new Worker(this.#entry, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMbMax },
    })
    thread.on('exit', () => {
      clearTimeout(this.#idle.get(thread))
      this.#idle.delete(thread)
      this.#threads--
      this.#pump()
    })
    return thread
  }

  #end(thread: Worker): void {
    this.#idle.delete(thread)
    void endThread(thread)
  }

  #begin(thread: Worker, work: Work<Input, Output>): void {
    const free = (): void => {
      settle()
      const timer = setTimeout(() => this.#end(thread), this.#options.idleMs)
      timer.unref()
      this.#idle.set(thread, timer)
      // A thread with nothing to do keeps no process alive.
      thread.unref()
    }
    const onMessage = (reply: Reply<Output>): void => {
      free()
      if ('output' in reply) work.resolve(reply.output)
      else work.reject(new Error(reply.error))
      this.#pump()
    }
    const onError = (error: unknown): void => {
      settle()
      work.reject(error)
    }
    const onExit = (): void => onError(new Error('The thread ended before its work was done.'))
    const settle = (): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit)
      // Whatever it still says is for nobody, but an error without a listener would end the process.
      thread.on('error', ignore)
    }
    thread.ref()
    thread.off('error', ignore)
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    try {
      const { copy, buffers } = copyBytes(work.input)
      thread.postMessage(copy, buffers)
    } catch (error) {
      // Only this piece of work cannot be sent; the thread is as good as before.
      free()
      work.reject(error)
    }
  }
}

/** Of a view only what it shows is copied: it may lie in a buffer with much else. */
function copyBytes<Input>(input: Input): { copy: Input; buffers: ArrayBuffer[] } {
  if (input instanceof Uint8Array) {
    const copy = new Uint8Array(input)
    return { copy: copy as Input, buffers: [copy.buffer] }
  }
  if (typeof input !== 'object' || input === null) return { copy: input, buffers: [] }
  const members = Object.entries(input).map(([name, member]) =>
    member instanceof Uint8Array ? ([name, new Uint8Array(member)] as const) : ([name, member] as const),
  )
  const buffers = members.flatMap(([, member]) => (member instanceof Uint8Array ? [member.buffer as ArrayBuffer] : []))
  return { copy: Object.fromEntries(members) as Input, buffers }
}

function ignore(): void {}
