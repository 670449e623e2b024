import { invalid } from '../lib/app-error.ts'
import type { Json } from '../lib/json.ts'
import { JsonText } from '../lib/json-text.ts'
import { encodeForm } from './encode-form.ts'
import { encodeMultipart } from './encode-multipart.ts'
import { readFileContent } from './file-content.ts'

/** The body of a request and the headers that go with it, in lower case. */
export function encodeData(
  method: string,
  data: Json | JsonText | undefined,
  given: Readonly<Record<string, string>>,
): { headers: Record<string, string>; body: string | Buffer | undefined } {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' }
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
  if (data instanceof JsonText) return { headers: typedAsJson(headers), body: bytesOf(data) }
  const carriesNothing = ['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method) && isEmpty(data)
  if (data === undefined || carriesNothing) return { headers, body: undefined }

  const type = headers['content-type']?.toLowerCase() ?? ''
  const isMultipart = type.startsWith('multipart/form-data') && typeof data !== 'string'
  const file = isMultipart ? undefined : readFileContent(data)
  if (file) {
    headers['content-type'] ??= file.contentType ?? 'application/octet-stream'
    return { headers, body: file.bytes }
  }
  if (isMultipart) {
    const { contentType, body } = encodeMultipart(data)
    headers['content-type'] = contentType
    return { headers, body }
  }
  if (type.startsWith('application/x-www-form-urlencoded') && typeof data !== 'string') {
    return { headers, body: encodeForm(data) }
  }
  // A text with a type of its own (XML, CSV) goes out as it is; as JSON it would come with quotation marks.
  if (typeof data === 'string' && type !== '' && !/[/+]json\b/.test(type)) return { headers, body: data }
  headers['content-type'] ??= 'application/json'
  return { headers, body: writeJson(data) }
}

/** A form cannot be made of it without making its values. */
function typedAsJson(headers: Record<string, string>): Record<string, string> {
  const type = headers['content-type']?.toLowerCase() ?? ''
  if (/^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(type))
    throw invalid('Data with this many values can be sent as JSON only.')
  return { ...headers, 'content-type': headers['content-type'] ?? 'application/json' }
}

function bytesOf({ content }: JsonText): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : content
}

function writeJson(data: Json): string {
  try {
    return JSON.stringify(data)
  } catch {
    // Only the depth of the value can be the reason: it came from JSON.
    throw invalid('The data is nested too deeply to be sent.')
  }
}

function isEmpty(data: Json | undefined): boolean {
  return (
    data === undefined ||
    data === null ||
    (typeof data === 'object' && !Array.isArray(data) && Object.keys(data).length === 0)
  )
}
