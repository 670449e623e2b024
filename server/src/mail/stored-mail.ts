// The content of a mail as it is stored, and back. A large one is written in one go and read in a thread: it is parsed for nobody who waits.
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { JsonText, largeTextMin } from '../lib/json-text.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import type { MailContent } from './mail-content.ts'
import { type ReadMail, readContent } from './read-content.ts'

const threads = new ThreadPool<Uint8Array, ReadMail>(new URL('./stored-mail-thread.ts', import.meta.url))

const pieceBytes = 64 * 1024
/** Characters of base64 that are whole bytes. */
const pieceCharacters = 64 * 1024

/** Attachments are JSON already, and are copied once. */
export function writeContent({ attachments = [], ...rest }: MailContent): Buffer {
  const written = attachments.flatMap(({ contentBase64, ...other }, index) => {
    const head = `${index === 0 ? '' : ','}${JSON.stringify(other).slice(0, -1)},"contentBase64":`
    return [head, contentBase64 instanceof JsonText ? contentBase64.content : JSON.stringify(contentBase64), '}']
  })
  const parts = [`${JSON.stringify(rest).slice(0, -1)},"attachments":[`, ...written, ']}']
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

export async function readInTurn(owner: string, plain: Buffer): Promise<ReadMail> {
  return plain.length <= largeTextMin ? readContent(plain) : threads.run(owner, plain)
}

/** In pieces, between which others have their turn: the mail library converts each in one go. */
export function streamOf(bytes: Uint8Array): Readable {
  return Readable.from(
    (async function* () {
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        yield bytes.subarray(start, start + pieceBytes)
        await setImmediate()
      }
    })(),
    { objectMode: false },
  )
}

/** The bytes of an attachment that was not stored, in pieces. */
export function streamOfBase64(contentBase64: string | JsonText): Readable {
  const text = contentBase64 instanceof JsonText ? contentBase64.content : JSON.stringify(contentBase64)
  const json = typeof text === 'string' ? Buffer.from(text) : text
  const end = json.length - 1
  return Readable.from(
    (async function* () {
      // Base64 holds nothing that JSON would escape: within its quotes it is as it is.
      for (let start = 1; start < end; start += pieceCharacters) {
        yield Buffer.from(json.toString('latin1', start, Math.min(start + pieceCharacters, end)), 'base64')
        await setImmediate()
      }
    })(),
    { objectMode: false },
  )
}
