import type { ConnectionAnswer } from '../connections/index.ts'
import { AppError } from '../lib/app-error.ts'
import { toUtf8 } from '../lib/charset.ts'
import type { ApplicationCall, Json } from './application-call.ts'

const depthMax = 500
const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\[]{}')

/** The body as the caller wants it. An empty body is null, as JSON has no nothing. */
export function decodeAnswer(answer: ConnectionAnswer, responseType: ApplicationCall['responseType']): Json {
  if (responseType === 'Binary') return answer.body.toString('base64')
  const body = toUtf8(answer.body, answer.headers['content-type'])
  switch (responseType) {
    case 'Text':
      return body.toString()
    case 'Json': {
      const parsed = parse(body)
      if (parsed !== undefined) return parsed
      throw new AppError(
        'target_refused',
        `The answer of ${answer.url} is not JSON; it can be had as Text or Binary.`,
        {
          response: {
            statusCode: answer.statusCode,
            headers: answer.headers,
            data: body.toString('utf8', 0, 2000),
          },
        },
      )
    }
    default:
      return jsonOrText(body)
  }
}

export function jsonOrText(body: Buffer): Json {
  const parsed = parse(body)
  return parsed === undefined ? body.toString() : parsed
}

/** Undefined when the body is not JSON. */
function parse(body: Buffer): Json | undefined {
  if (body.length === 0) return null
  if (isTooDeep(body)) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Deeper than anyone means it, and than the stack allows when it is written out again. */
function isTooDeep(body: Buffer): boolean {
  if (body.length <= depthMax) return false
  let depth = 0
  let isInText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isInText) {
      if (byte === backslash) at++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > depthMax) return true
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  return false
}
