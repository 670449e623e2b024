// The work itself of attachment.ts, here or in a thread.
export type Encoding = 'base64' | 'base64url' | 'hex' | 'utf8'

/** A thread gets what is still JSON as bytes. */
export type AttachmentWork = { text: string | Uint8Array; encoding: Encoding }

/** `json` is a JSON string in base64. */
export type EncodedAttachment = { json: Uint8Array; bytes: number }

const alphabets = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/, hex: /^([0-9A-Fa-f]{2})*$/ }

/** Undefined when the text is not in its encoding. */
export function encodeAttachment({ text: given, encoding }: AttachmentWork): EncodedAttachment | undefined {
  const text = typeof given === 'string' ? given : (JSON.parse(new TextDecoder().decode(given)) as string)
  const bytes = encoding === 'utf8' ? Buffer.from(text) : decode(text, encoding)
  return bytes && { json: Buffer.from(`"${bytes.toString('base64')}"`), bytes: bytes.length }
}

function decode(text: string, encoding: Exclude<Encoding, 'utf8'>): Buffer | undefined {
  // Base64 is often broken into lines. Buffer.from would skip over everything else that does not belong, and lose content unseen.
  const compact = text.replaceAll(/[\r\n\t ]/g, '')
  const lacksPart = encoding !== 'hex' && compact.replace(/=+$/, '').length % 4 === 1
  return alphabets[encoding].test(compact) && !lacksPart ? Buffer.from(compact, encoding) : undefined
}
