// The other side of thread-pool.ts: what a thread of a pool does for each piece of work.
import { parentPort } from 'node:worker_threads'
import { onThreadMessage } from './end-thread.ts'

/** `bytesOf` names what of the output need not be copied on its way back. */
export function answerWork<Input, Output>(
  perform: (input: Input) => Output,
  bytesOf: (output: Output) => Uint8Array[] = () => [],
): void {
  onThreadMessage((input: Input) => {
    try {
      const output = perform(input)
      parentPort?.postMessage({ output }, listBuffers(bytesOf(output)))
    } catch (error) {
      parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) })
    }
  })
}

/** Short ones lie with others in a buffer that is the engine's, and two may share one: only what is alone in its buffer can leave with it. */
function listBuffers(all: readonly Uint8Array[]): ArrayBuffer[] {
  const whole = all.filter(
    ({ buffer, byteLength }) => buffer instanceof ArrayBuffer && buffer.byteLength === byteLength,
  )
  return [...new Set(whole.map(({ buffer }) => buffer as ArrayBuffer))]
}
