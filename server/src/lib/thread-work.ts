// The other side of thread-pool.ts: what a thread of a pool does for each piece of work.
import { parentPort, type Transferable } from 'node:worker_threads'
import { onThreadMessage } from './end-thread.ts'

/** `transferOf` names what need not be copied on its way back. */
export function answerWork<Input, Output>(
  perform: (input: Input) => Output,
  transferOf: (output: Output) => Transferable[] = () => [],
): void {
  onThreadMessage((input: Input) => {
    try {
      const output = perform(input)
      parentPort?.postMessage({ output }, transferOf(output))
    } catch (error) {
      parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) })
    }
  })
}
