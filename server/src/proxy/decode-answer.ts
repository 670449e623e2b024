import type { ConnectionAnswer } from '../connections/index.ts'
import { AppError } from '../lib/app-error.ts'
import { bodyDepthMax } from '../lib/body-text.ts'
import { toUtf8 } from '../lib/charset.ts'
import type { Json } from '../lib/json.ts'
import { scanJson } from '../lib/json-scan.ts'
import type { JsonText } from '../lib/json-text.ts'
import { isLarge, readLargeBody } from '../lib/large-body.ts'
import type { ApplicationCall } from './application-call.ts'

/** In a refusal, which people read, JSON of more values than this is shown as text. */
const shownValuesMax = 20_000

type Decoded = { data: Json | JsonText; isText: boolean }

/** The body as the caller wants it. An empty body is null, as JSON has no nothing. */
export function decodeAnswer(
  owner: string,
  answer: ConnectionAnswer,
  responseType: ApplicationCall['responseType'],
): Decoded | Promise<Decoded> {
  if (isLarge(answer.body)) return decodeLarge(owner, answer, responseType)
  if (responseType === 'Binary') return { data: answer.body.toString('base64'), isText: false }
  const body = toUtf8(answer.body, answer.headers['content-type'])
  if (responseType === 'Text') return { data: body.toString(), isText: true }
  const parsed = parse(body)
  if (parsed !== undefined) return { data: parsed, isText: false }
  if (responseType === 'Json') throw notJson(answer)
  return { data: body.toString(), isText: true }
}

async function decodeLarge(
  owner: string,
  answer: ConnectionAnswer,
  responseType: ApplicationCall['responseType'],
): Promise<Decoded> {
  const isJsonText = isJsonString(answer.body)
  const refusal = notJson(answer)
  const contentType = answer.headers['content-type']
  const decoded = await readLargeBody(owner, answer.body, { kind: responseType, contentType }).catch((cause) => {
    // The target has done what it was asked for. Were this a fault of the service, the block would run again and ask for it twice.
    throw new AppError('target_refused', `The response from ${answer.url} could not be read.`, { cause })
  })
  if (decoded === undefined) throw refusal
  const isString = decoded.content[0] === '"' || decoded.content[0] === quote
  return { data: decoded, isText: responseType !== 'Binary' && isString && (responseType === 'Text' || !isJsonText) }
}

const quote = 0x22
const backslash = 0x5c

/** Whether the first quotation mark closes only at the end: CSV begins with one, too. */
function isJsonString(body: Buffer): boolean {
  const start = body.findIndex((byte) => byte > 0x20)
  if (body[start] !== quote) return false
  let at = start + 1
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return body.subarray(at + 1).every((byte) => byte <= 0x20)
}

/** For a refusal: JSON where it is JSON, else text. */
export function showBody(body: Buffer): Json {
  if (body.length === 0) return null
  const isShown = scanJson(body, bodyDepthMax, shownValuesMax).kind === 'json'
  return isShown ? (JSON.parse(body.toString()) as Json) : body.toString()
}

/** Undefined when the body is not JSON. */
function parse(body: Buffer): Json | undefined {
  if (body.length === 0) return null
  if (body.length > bodyDepthMax && scanJson(body, bodyDepthMax).kind === 'tooDeep') return undefined
  try {
    return JSON.parse(body.toString()) as Json
  } catch {
    return undefined
  }
}

function notJson({ url, statusCode, headers, body }: ConnectionAnswer): AppError {
  return new AppError('target_refused', `The response from ${url} is not JSON. Use responseType Text or Binary.`, {
    response: { statusCode, headers, data: body.toString('utf8', 0, 2000) },
  })
}
