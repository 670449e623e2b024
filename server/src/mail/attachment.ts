// From the text of an attachment to what is stored of it. Large ones are worked on in a thread: checking and converting megabytes takes its time.
import { JsonText, largeTextMin } from '../lib/json-text.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { type AttachmentWork, type EncodedAttachment, type Encoding, encodeAttachment } from './encode-attachment.ts'

export type GivenAttachment = { text: string | JsonText; encoding: Encoding }

const threads = new ThreadPool<AttachmentWork, EncodedAttachment | undefined>(
  new URL('./attachment-thread.ts', import.meta.url),
)

/** Undefined when the text is not in its encoding. */
export async function encodeInTurn(
  owner: string,
  { text, encoding }: GivenAttachment,
): Promise<{ contentBase64: JsonText; bytes: number } | undefined> {
  const encoded = await encode(owner, text instanceof JsonText ? text.content : text, encoding)
  if (!encoded) return undefined
  const { buffer, byteOffset, byteLength } = encoded.json
  return { contentBase64: new JsonText(Buffer.from(buffer, byteOffset, byteLength)), bytes: encoded.bytes }
}

function encode(owner: string, text: string | Buffer, encoding: Encoding) {
  const isInThread = typeof text !== 'string' || text.length > largeTextMin
  return isInThread ? threads.run(owner, { text, encoding }) : encodeAttachment({ text, encoding })
}
