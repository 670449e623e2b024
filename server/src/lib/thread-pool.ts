/**
 * Threads for work that would keep the event loop from everybody. Owners take turns, so that one with much work waits for itself.
 *
 *   queued ─(a thread is free)─► under way ─► answered; a thread that had nothing to do for a while ends
 */
import { type Transferable, Worker } from 'node:worker_threads'
import { endThread } from './end-thread.ts'

type Work<Input, Output> = {
  input: Input
  transfer: readonly Transferable[]
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

  /** What is transferred is gone here. Rejects when the work throws or takes more memory than a thread has. */
  run(owner: string, input: Input, transfer: readonly Transferable[] = []): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    const queue = this.#queues.get(owner)
    const work = { input, transfer, resolve, reject }
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
    const onMessage = (reply: Reply<Output>): void => {
      settle()
      const timer = setTimeout(() => this.#end(thread), this.#options.idleMs)
      timer.unref()
      this.#idle.set(thread, timer)
      // A thread with nothing to do keeps no process alive.
      thread.unref()
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
    thread.postMessage(work.input, work.transfer)
  }
}

function ignore(): void {}
