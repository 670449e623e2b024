import type { ConnectionAnswer } from '../connections/index.ts'
import { AppError } from '../lib/app-error.ts'
import type { ApplicationCall, Json } from './application-calls.ts'

/** The body as the caller wants it. An empty body is null, as JSON has no nothing. */
export function decodeAnswer(answer: ConnectionAnswer, responseType: ApplicationCall['responseType']): Json {
  switch (responseType) {
    case 'Binary':
      return answer.body.toString('base64')
    case 'Text':
      return answer.body.toString()
    case 'Json': {
      const parsed = parse(answer.body)
      if (parsed !== undefined) return parsed
      throw new AppError(
        'target_refused',
        `The answer of ${answer.url} is not JSON; it can be had as Text or Binary.`,
        {
          response: {
            statusCode: answer.statusCode,
            headers: answer.headers,
            data: answer.body.toString('utf8', 0, 2000),
          },
        },
      )
    }
    default:
      return jsonOrText(answer.body)
  }
}

export function jsonOrText(body: Buffer): Json {
  const parsed = parse(body)
  return parsed === undefined ? body.toString() : parsed
}

/** Undefined when the body is not JSON. */
function parse(body: Buffer): Json | undefined {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
