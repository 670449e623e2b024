import { invalid } from '../lib/app-error.ts'
import type { Json } from './application-calls.ts'

/** The body of a request and the headers that go with it, in lower case. */
export function encodeData(
  method: string,
  data: Json | undefined,
  given: Readonly<Record<string, string>>,
): { headers: Record<string, string>; body: string | Buffer | undefined } {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' }
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
  const carriesNothing = ['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method) && isEmpty(data)
  if (data === undefined || carriesNothing) return { headers, body: undefined }

  const bytes = readBytes(data)
  if (bytes !== undefined) {
    headers['content-type'] ??= 'application/octet-stream'
    return { headers, body: bytes }
  }
  const type = headers['content-type']?.toLowerCase() ?? ''
  if (type.startsWith('application/x-www-form-urlencoded') && typeof data !== 'string') {
    return { headers, body: encodeForm(data) }
  }
  // A text with a type of its own (XML, CSV) goes out as it is; as JSON it would come with quotation marks.
  if (typeof data === 'string' && type !== '' && !/[/+]json\b/.test(type)) return { headers, body: data }
  headers['content-type'] ??= 'application/json'
  return { headers, body: writeJson(data) }
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

/** `{"$base64": "…"}` stands for the bytes themselves, which JSON cannot hold. */
function readBytes(data: Json): Buffer | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  const text = data['$base64']
  if (text === undefined || Object.keys(data).length !== 1) return undefined
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw invalid('The field data.$base64 must be a string in base64.')
  }
  return Buffer.from(text, 'base64')
}

function encodeForm(data: Json): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('The field data must be an object to be sent as a form.')
  }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(data)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null) form.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one))
    }
  }
  return form.toString()
}
