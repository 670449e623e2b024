import { type ConnectionAnswer, maskJson, maskSecrets } from '../connections/index.ts'
import { AppError } from '../lib/app-error.ts'
import { toUtf8 } from '../lib/charset.ts'
import { showBody } from './decode-answer.ts'

const wordsMax = 2000
const dataBytesMax = 1024 * 1024

/** What a target refused, in its own words and without our secrets: refusals are written to logs and shown to people. */
export function refusal(method: string, answer: ConnectionAnswer, secrets: readonly string[]): AppError {
  const body = toUtf8(answer.body.subarray(0, dataBytesMax + 1), answer.headers['content-type'])
  const text = body.toString('utf8', 0, dataBytesMax)
  const words = text.length > wordsMax ? `${text.slice(0, wordsMax)}…` : text
  const { statusCode, headers, url, explanation } = answer
  const said = `${method} ${url} answered ${statusCode}: ${words}`
  const message = explanation === undefined ? said : `${explanation} (${said})`
  return new AppError('target_refused', maskSecrets(message, secrets), {
    response: maskJson({ statusCode, headers, data: body.length > dataBytesMax ? text : showBody(body) }, secrets),
  })
}
