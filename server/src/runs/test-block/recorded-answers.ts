// Stands in for the applications of a tested script: what was recorded is answered, nothing leaves the service.

import type { BodyOf, Operations } from '@patchbay/contract'
import { AppError } from '../../lib/app-error.ts'
import type { Json } from '../../lib/json.ts'
import type { ApplicationCall, ApplicationCalls } from '../../proxy/index.ts'

type RecordedAnswer = NonNullable<BodyOf<Operations['TestBlock']>['recordedAnswers']>[number]

export function recordedApplications(recorded: readonly RecordedAnswer[]): ApplicationCalls['call'] {
  const answers = new Map<string, RecordedAnswer[]>()
  for (const answer of recorded) {
    const key = keyOf(answer.method ?? 'GET', answer.url)
    answers.set(key, [...(answers.get(key) ?? []), answer])
  }
  return async (_scope, call) => {
    const url = `${call.shortName}/${call.requestUrl}`
    const waiting = answers.get(keyOf(call.verb, url))
    const answer = waiting && (waiting.length > 1 ? waiting.shift() : waiting[0])
    if (!answer)
      throw new AppError('invalid_request', `There is no recorded answer for ${call.verb} ${url}. Add it to the test.`)
    const statusCode = answer.statusCode ?? 200
    const found = { statusCode, headers: answer.headers ?? {}, data: (answer.data ?? null) as Json }
    if (isExpected(call, statusCode)) return { ...found, isText: false, pausedMs: 0 }
    const text = typeof found.data === 'string' ? found.data : JSON.stringify(found.data)
    throw new AppError('invalid_request', `${call.verb} ${url} answered ${statusCode}: ${text}`, {
      response: found,
    })
  }
}

function isExpected(call: ApplicationCall, statusCode: number): boolean {
  return call.responseCodes ? call.responseCodes.includes(statusCode) : statusCode >= 200 && statusCode < 300
}

/** Short names are compared without regard to case, and one slash more or less at the seam does not matter. */
function keyOf(method: string, url: string): string {
  const slash = url.indexOf('/')
  const shortName = slash === -1 ? url : url.slice(0, slash)
  return `${method.toUpperCase()} ${shortName.toUpperCase()}/${slash === -1 ? '' : url.slice(slash).replace(/^\/+/, '')}`
}
