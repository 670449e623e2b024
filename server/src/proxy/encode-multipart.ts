import { randomUUID } from 'node:crypto'
import type { Json } from '../lib/json.ts'
import { fieldsOf } from './encode-form.ts'
import { readFileContent } from './file-content.ts'

/** An object as `multipart/form-data`: one part per field, lists repeat their name, objects are parts in JSON. */
export function encodeMultipart(data: Json): { contentType: string; body: Buffer } {
  const boundary = `patchbay-${randomUUID()}`
  const pieces: (string | Buffer)[] = []
  for (const [name, value] of Object.entries(fieldsOf(data))) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null) continue
      pieces.push(`--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`, ...partOf(one), '\r\n')
    }
  }
  pieces.push(`--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))),
  }
}

function partOf(value: Exclude<Json, null>): (string | Buffer)[] {
  const file = readFileContent(value)
  if (file) {
    const { fileName = 'file', contentType = 'application/octet-stream' } = file
    return [`; filename="${escapeName(fileName)}"\r\ncontent-type: ${contentType}\r\n\r\n`, file.bytes]
  }
  if (typeof value === 'object') return [`\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(value)}`]
  return [`\r\n\r\n${value}`]
}

/** As browsers write it. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
