// Uploads that are too large to hold: made as they are sent, checked as they come back.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Keys } from './client.ts'
import { Client } from './client.ts'
import { fileIds, postShare, sendUpload, sharePath } from './upload.ts'

const boundary = 'large-upload-boundary'
const head = (name: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
export const beginOfForm = `${head('notificationEmail')}anna@example.com\r\n${head('code')}c\r\n${head('files', '; filename="large.bin"')}`
export const endOfForm = `\r\n--${boundary}--\r\n`
export const largeFormType = `multipart/form-data; boundary=${boundary}`

/** Blocks that differ from each other, so that a lost, repeated or moved one is noticed. */
export function* blocks(bytes: number): Generator<Buffer> {
  const random = randomBytes(1024 * 1024)
  for (let at = 0, number = 0; at < bytes; number++) {
    const block = Buffer.from(random.subarray(0, Math.min(random.length, bytes - at)))
    if (block.length >= 4) block.writeUInt32BE(number)
    at += block.length
    yield block
  }
}

/** Uploads `bytes` random bytes with the code "c" and returns the share and what was sent. */
export async function uploadLarge(
  baseUrl: string,
  keys: Keys,
  bytes: number,
): Promise<{ shareId: string; digest: string }> {
  const hash = createHash('sha256')
  function* body() {
    yield Buffer.from(beginOfForm)
    for (const block of blocks(bytes)) {
      hash.update(block)
      yield block
    }
    yield Buffer.from(endOfForm)
  }
  const stream = Readable.toWeb(Readable.from(body(), { objectMode: false }))
  const answer = await sendUpload(new Client(baseUrl, keys), stream as never, { 'Content-Type': largeFormType })
  if (answer.status !== 200) throw new Error(`The upload was refused: ${answer.text}`)
  return { shareId: answer.body, digest: hash.digest('hex') }
}

/** Downloads the only file of a share with the code "c". */
export async function downloadLarge(baseUrl: string, shareId: string): Promise<{ bytes: number; digest: string }> {
  const list = await postShare(baseUrl, shareId, { code: 'c' })
  const response = await fetch(`${baseUrl}${sharePath}?shareid=${shareId}`, {
    method: 'POST',
    body: new URLSearchParams({ code: 'c', file: fileIds(list.bytes.toString())[0] ?? '' }),
  })
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, digest: hash.digest('hex') }
}

/** A connection that has sent the head of an upload; the body is up to the test. */
export async function openUpload(baseUrl: string, keys: Keys, headers: Record<string, string>): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const lines = Object.entries({ Host: 'test', Consumer: keys.consumer, SecretKey: keys.secretKey, ...headers })
  socket.write(
    `POST /api/ProxySecureUpload HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    'latin1',
  )
  return socket
}

/** The status line's number, or 0 when the connection was closed without an answer. */
export async function statusOf(socket: Socket): Promise<number> {
  return new Promise((done) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)
      if (status && text.includes('\r\n\r\n')) done(Number(status[1]))
    })
    socket.on('close', () => done(0))
  })
}
