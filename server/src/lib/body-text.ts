import { toUtf8 } from './charset.ts'
import { scanJson } from './json-scan.ts'

export type BodyForm = { kind?: 'Json' | 'Text' | 'Binary' | undefined; contentType: string | undefined }

/** As deep as anyone means it, and as the stack allows when it is written out again. */
export const bodyDepthMax = 500

/**
 * The bytes of the JSON that stands for a body: its own when it is JSON, else those of a string; base64 for bytes. Undefined when it must be JSON and
 * is not. No values are made, so the work depends on the length alone.
 */
export function bodyText(given: Uint8Array, { kind, contentType }: BodyForm): Uint8Array | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (kind === 'Binary') return Buffer.from(`"${bytes.toString('base64')}"`)
  const body = toUtf8(bytes, contentType)
  if (kind !== 'Text' && scanJson(body, bodyDepthMax).kind === 'json') return body
  return kind === 'Json' ? undefined : Buffer.from(JSON.stringify(body.toString()))
}
