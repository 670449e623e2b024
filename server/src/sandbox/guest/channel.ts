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

/** Blocks this thread until the service has sent a line. */
export function createBlockingReader(descriptor: number): () => string {
  const chunk = Buffer.allocUnsafe(65_536)
  const lines: string[] = []
  const readBytes = createLineReader(Number.MAX_SAFE_INTEGER, (line) => lines.push(line))
  return () => {
    for (;;) {
      const line = lines.shift()
      if (line !== undefined) return line
      let count = 0
      try {
        count = readSync(descriptor, chunk)
      } catch {
        endProcess()
      }
      if (count === 0) endProcess()
      readBytes(chunk.subarray(0, count))
    }
  }
}

/** The answer to a synchronous call. */
export const readAnswer = createBlockingReader(REPLY_DESCRIPTOR)

/**
 * The service is gone or the channel is broken. A normal exit would wait for the thread that holds the lifeline, so the process kills
 * itself.
 */
export function endProcess(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal needs a moment to arrive; nothing may run meanwhile.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}
