import { readSync, writeSync } from 'node:fs'
import { createLineReader, type FromGuest, REPLY_DESCRIPTOR } from '../protocol.ts'

/** Writes until the service has taken everything: nothing of a script's output waits in memory here. */
export function sendText(text: string): void {
  const bytes = Buffer.from(`${text}\n`, 'utf8')
  try {
    for (let from = 0; from < bytes.length; ) from += writeSync(REPLY_DESCRIPTOR, bytes, from)
  } catch {
    endProcess()
  }
}

export function send(message: FromGuest): void {
  sendText(JSON.stringify(message))
}

const chunk = Buffer.allocUnsafe(65_536)
const answers: string[] = []
const readAnswerBytes = createLineReader(Number.MAX_SAFE_INTEGER, (line) => answers.push(line))

/** Blocks this thread until the service has answered a synchronous call. */
export function readAnswer(): string {
  for (;;) {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    let count = 0
    try {
      count = readSync(REPLY_DESCRIPTOR, chunk)
    } catch {
      endProcess()
    }
    if (count === 0) endProcess()
    readAnswerBytes(Buffer.from(chunk.subarray(0, count)))
  }
}

/**
 * The service is gone or the channel is broken. A script may still be busy on its thread, and a normal exit would wait for
 * it, so the process kills itself.
 */
export function endProcess(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal needs a moment to arrive; nothing may run meanwhile.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}
