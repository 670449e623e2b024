import { invalid } from '../lib/app-error.ts'
import type { Json } from '../lib/json.ts'

export type FileContent = { bytes: Buffer; fileName: string | undefined; contentType: string | undefined }

const known = ['$base64', 'fileName', 'contentType']

/** `{"$base64": "…"}` stands for the bytes themselves, which JSON cannot hold; in a multipart body also with `fileName` and `contentType`. */
export function readFileContent(value: Json): FileContent | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { $base64: text, fileName, contentType } = value
  if (text === undefined || Object.keys(value).some((key) => !known.includes(key))) return undefined
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw invalid('The field data.$base64 must be a string in base64.')
  }
  return {
    bytes: Buffer.from(text, 'base64'),
    fileName: readText('fileName', fileName),
    contentType: readText('contentType', contentType),
  }
}

function readText(name: string, value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  // It becomes part of a header.
  if (typeof value !== 'string' || /[\r\n]/.test(value)) throw invalid(`The field ${name} must be one line of text.`)
  return value
}
