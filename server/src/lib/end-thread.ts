// Threads end by themselves when they are asked to. One that is ended from outside while another one starts can take the whole process with
// it (nodejs/node issue 56312), so that is kept for those that do not answer.
import { parentPort, type Worker } from 'node:worker_threads'

const endWord = 'end'
const patienceMs = 2_000

/** The service's side. Resolves when the thread is gone. */
export async function endThread(thread: Worker): Promise<void> {
  await new Promise<void>((gone) => {
    const timer = setTimeout(() => void thread.terminate(), patienceMs)
    thread.once('exit', () => {
      clearTimeout(timer)
      gone()
    })
    thread.postMessage(endWord)
    // Until it is gone it counts, whether or not it had work.
    thread.ref()
  })
}

/** The thread's side: every message but the last is for `take`. */
export function onThreadMessage<Message>(take: (message: Message) => void): void {
  parentPort?.on('message', (message: Message | typeof endWord) => {
    if (message === endWord) parentPort?.close()
    else take(message as Message)
  })
}
