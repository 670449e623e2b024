// Headers of forms: the boundary of a multipart body, and what a part of it says about itself.
import { invalid } from '../../lib/app-error.ts'

export type Disposition = { name: string; fileName: string | undefined; contentType: string }

// RFC 2046 allows 70 characters; longer ones are seen, and harmless.
const boundaryPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/

export function readBoundary(contentType: string | undefined): string {
  const { value, parameters } = readParameters(contentType ?? '')
  const boundary = parameters.get('boundary') ?? ''
  if (value.toLowerCase() !== 'multipart/form-data')
    throw invalid('The header Content-Type must be multipart/form-data for this operation.')
  if (!boundaryPattern.test(boundary)) throw invalid('The header Content-Type has no valid boundary.')
  return boundary
}

export function readDisposition(text: string): Disposition {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 1 || /[\s\0]/.test(line.slice(0, colon)))
      throw invalid('Malformed multipart body: a part contains an invalid header line.')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const { value, parameters } = readParameters(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (value.toLowerCase() !== 'form-data' || name === undefined)
    throw invalid('Malformed multipart body: a part has no Content-Disposition with a name.')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  // Taking encoded bytes for the file itself would damage it unseen.
  if (!['7bit', '8bit', 'binary'].includes(encoding))
    throw invalid(`The part ${name} has an unsupported Content-Transfer-Encoding: ${encoding}.`)
  const contentType = headers.get('content-type')
  // Some clients send a file without a name; this is how they say that it is one.
  const unnamed = contentType?.toLowerCase() === 'application/octet-stream' ? '' : undefined
  return {
    name,
    fileName: readExtended(parameters.get('filename*')) ?? parameters.get('filename') ?? unnamed,
    contentType: contentType ?? 'application/octet-stream',
  }
}

/** `value; name=token; name="quoted"`. Browsers write a quotation mark as %22, others as \"; a backslash alone is a backslash. */
function readParameters(text: string): { value: string; parameters: Map<string, string> } {
  const [value = ''] = text.split(';', 1)
  const parameters = new Map<string, string>()
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^\s;"]*))\s*/y
  pattern.lastIndex = value.length
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (!found) throw invalid('Malformed multipart body: the parameters of a header cannot be read.')
    const [, name = '', quoted, token = ''] = found
    parameters.set(name.toLowerCase(), quoted === undefined ? token : quoted.replaceAll(/\\"|%22/g, '"'))
  }
  return { value: value.trim(), parameters }
}

/** RFC 8187, which forms should not use but some clients do: `UTF-8''percent-encoded`. */
function readExtended(text: string | undefined): string | undefined {
  const found = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')
  try {
    return found ? decodeURIComponent(found[1] as string) : undefined
  } catch {
    return undefined
  }
}
