// The character set in which others wrote their text. Inside the service text is UTF-8.
import { TextDecoder } from 'node:util'

const xmlEncoding = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/
const decoders = new Map<string, TextDecoder | undefined>()
const decodersMax = 200

/** The same bytes where they are UTF-8 or nothing else is known; without a byte order mark. */
export function toUtf8(body: Buffer, contentType: string | undefined): Buffer {
  const charset = declaredCharset(body, contentType)
  const decoder = charset === undefined ? undefined : decoderOf(charset)
  if (decoder && decoder.encoding !== 'utf-8') return Buffer.from(decoder.decode(body))
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  return hasMark ? body.subarray(3) : body
}

/** The name of a character set that was declared and that nobody here can read; such text is read as UTF-8. */
export function findUnknownCharset(contentType: string | undefined): string | undefined {
  const charset = charsetOf(contentType)
  return charset === undefined || decoderOf(charset) ? undefined : charset
}

/** What the log of a block says when its text may be wrong. */
export function tellUnknownCharset(whose: string, charset: string): string {
  return `(${whose} declares the unknown character set ${JSON.stringify(charset)}; it was read as UTF-8.)`
}

function declaredCharset(body: Buffer, contentType: string | undefined): string | undefined {
  const charset = charsetOf(contentType)
  if (charset !== undefined || !contentType || !/xml/i.test(contentType)) return charset
  // XML may say it by itself, in ASCII.
  return xmlEncoding.exec(body.toString('latin1', 0, 400))?.[1]
}

function charsetOf(contentType: string | undefined): string | undefined {
  if (!contentType) return undefined
  return /;\s*charset\s*=\s*["']?\s*([^\s;"',]{1,80})/i.exec(contentType)?.[1]
}

function decoderOf(charset: string): TextDecoder | undefined {
  const name = charset.toLowerCase()
  if (decoders.has(name)) return decoders.get(name)
  let decoder: TextDecoder | undefined
  try {
    decoder = new TextDecoder(name)
  } catch {
    decoder = undefined
  }
  // Names come from others: there may be any number of them.
  if (decoders.size >= decodersMax) decoders.clear()
  decoders.set(name, decoder)
  return decoder
}
