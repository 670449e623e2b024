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

/** The body as the caller wants it. An empty body is null, as JSON has no nothing. */
export function decodeAnswer(
  owner: string,
  answer: ConnectionAnswer,
  responseType: ApplicationCall['responseType'],
): Json | Promise<JsonText> {
  if (isLarge(answer.body)) return decodeLarge(owner, answer, responseType)
  if (responseType === 'Binary') return answer.body.toString('base64')
  const body = toUtf8(answer.body, answer.headers['content-type'])
  switch (responseType) {
    case 'Text':
      return body.toString()
    case 'Json': {
      const parsed = parse(body)
      if (parsed === undefined) throw notJson(answer)
      return parsed
    }
    default: {
      const parsed = parse(body)
      return parsed === undefined ? body.toString() : parsed
    }
  }
}

async function decodeLarge(
  owner: string,
  answer: ConnectionAnswer,
  responseType: ApplicationCall['responseType'],
): Promise<JsonText> {
  const refusal = notJson(answer)
  const contentType = answer.headers['content-type']
  const decoded = await readLargeBody(owner, answer.body, { kind: responseType, contentType }).catch((cause) => {
    // The target has done what it was asked for. Were this a fault of the service, the block would run again and ask for it twice.
    throw new AppError('target_refused', `The response from ${answer.url} could not be read.`, { cause })
  })
  if (decoded === undefined) throw refusal
  return decoded
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
