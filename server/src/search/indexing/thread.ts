// The service's side of the indexing thread. It is started when there is work and stays; when it dies, whoever waits is told and the next
// piece of work starts another.
import { Worker } from 'node:worker_threads'
import { endThread } from '../../lib/end-thread.ts'
import type { Segment } from '../index-format/segment.ts'
import type { IndexWork } from './index-work.ts'

type Answer = { number: number; segments: Segment[] } | { number: number; error: unknown }

const memoryMbMax = 512

export class IndexThread implements AsyncDisposable {
  #worker: Worker | undefined
  #lastNumber = 0
  readonly #waiting = new Map<number, { done(segments: Segment[]): void; fail(error: unknown): void }>()

  run(work: IndexWork): Promise<Segment[]> {
    this.#worker ??= this.#start()
    const number = ++this.#lastNumber
    return new Promise<Segment[]>((done, fail) => {
      this.#waiting.set(number, { done, fail })
      this.#worker?.postMessage({ ...work, number })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#worker) await endThread(this.#worker)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    })
    worker.unref()
    worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.number)
      this.#waiting.delete(answer.number)
      if ('error' in answer) waiting?.fail(answer.error)
      else waiting?.done(answer.segments.map(asBuffers))
    })
    const onEnd = (error: unknown) => {
      if (this.#worker === worker) this.#worker = undefined
      for (const { fail } of this.#waiting.values()) fail(error)
      this.#waiting.clear()
    }
    worker.on('error', onEnd)
    worker.on('exit', () => onEnd(new Error('The indexing thread ended.')))
    return worker
  }
}

/** Between threads buffers become plain arrays of bytes. */
function asBuffers(segment: Segment): Segment {
  const { filter, documents, bucketOffsets, postings } = segment
  return {
    ...segment,
    filter: Buffer.from(filter),
    documents: Buffer.from(documents),
    bucketOffsets: Buffer.from(bucketOffsets),
    postings: Buffer.from(postings),
  }
}
