// A mail server in a thread of its own that counts the bytes it is given and keeps nothing: for tests that measure who sends.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { SMTPServer } from 'smtp-server'

export type SmtpSink = AsyncDisposable & { url: string; nextMail(): Promise<number> }

export async function startSmtpSink(): Promise<SmtpSink> {
  const thread = new Worker(new URL(import.meta.url))
  const [port] = (await once(thread, 'message')) as [number]
  return {
    url: `smtp://127.0.0.1:${port}`,
    nextMail: async () => (await once(thread, 'message'))[0] as number,
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  }
}

if (!isMainThread && parentPort) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      stream.on('end', () => {
        parentPort?.postMessage(bytes)
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  parentPort.postMessage((server.server.address() as AddressInfo).port)
}
