// From the text of an attachment to what is stored of it. Large ones are worked on in a thread: checking and converting megabytes takes its time.
import { setImmediate } from 'node:timers/promises'
import { JsonText, largeTextMin } from '../lib/json-text.ts'
import { ThreadPool } from '../lib/thread-pool.ts'

export type GivenAttachment = { text: string; encoding: 'base64' | 'base64url' | 'hex' | 'utf8' }

/** `json` is a JSON string in base64. */
export type EncodedAttachment = { json: Uint8Array; bytes: number }

const threads = new ThreadPool<GivenAttachment, EncodedAttachment | undefined>(
  new URL('./attachment-thread.ts', import.meta.url),
)

const alphabets = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/, hex: /^([0-9A-Fa-f]{2})*$/ }

/** Undefined when the text is not in its encoding. */
export async function encodeInTurn(
  owner: string,
  given: GivenAttachment,
): Promise<{ contentBase64: JsonText; bytes: number } | undefined> {
  const encoded = given.text.length > largeTextMin ? await encodeInThread(owner, given) : encodeAttachment(given)
  if (!encoded) return undefined
  const { buffer, byteOffset, byteLength } = encoded.json
  return { contentBase64: new JsonText(Buffer.from(buffer, byteOffset, byteLength)), bytes: encoded.bytes }
}

/** Handing over a large text takes a moment too, so others go first. */
async function encodeInThread(owner: string, given: GivenAttachment): Promise<EncodedAttachment | undefined> {
  await setImmediate()
  return threads.run(owner, given)
}

export function encodeAttachment({ text, encoding }: GivenAttachment): EncodedAttachment | undefined {
  const bytes = encoding === 'utf8' ? Buffer.from(text) : decode(text, encoding)
  return bytes && { json: Buffer.from(`"${bytes.toString('base64')}"`), bytes: bytes.length }
}

function decode(text: string, encoding: Exclude<GivenAttachment['encoding'], 'utf8'>): Buffer | undefined {
  // Base64 is often broken into lines. Buffer.from would skip over everything else that does not belong, and lose content unseen.
  const compact = text.replaceAll(/[\r\n\t ]/g, '')
  const lacksPart = encoding !== 'hex' && compact.replace(/=+$/, '').length % 4 === 1
  return alphabets[encoding].test(compact) && !lacksPart ? Buffer.from(compact, encoding) : undefined
}
