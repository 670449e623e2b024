// What a test expected and what happened instead.
import { isDeepStrictEqual } from 'node:util'
import type { Expectation, ExpectedCall, ExpectedResponse } from './read-tests.ts'
import type { TestAnswer } from './tester.ts'

export type Difference = {
  what: 'result' | 'error' | 'calls' | 'log' | 'skipped' | 'response'
  expected: unknown
  actual: unknown
}

export function judge(expect: Expectation, answer: TestAnswer): Difference[] {
  const found: Difference[] = []
  const differ = (what: Difference['what'], expected: unknown, actual: unknown) =>
    void found.push({ what, expected, actual })
  if (answer.skipped !== (expect.skipped ?? false)) differ('skipped', expect.skipped ?? false, answer.skipped)
  if (expect.response && !isResponse(expect.response, answer.response))
    differ('response', expect.response, answer.response)
  const message = answer.success ? null : placeOf(answer) + String(answer.result)
  if (expect.error !== undefined && !message?.includes(expect.error)) differ('error', expect.error, message ?? 'none')
  else if (expect.error === undefined && message !== null) differ('error', 'none', message)
  else if ('result' in expect && answer.success && !isDeepStrictEqual(expect.result ?? null, answer.result ?? null)) {
    differ('result', expect.result, answer.result)
  }
  if (expect.log && !isDeepStrictEqual(expect.log, answer.log)) differ('log', expect.log, answer.log)
  if (expect.calls) {
    const made = madeCalls(answer)
    const isEqual =
      made.length === expect.calls.length && expect.calls.every((call, index) => isSame(call, made[index] as MadeCall))
    if (!isEqual) differ('calls', expect.calls, made)
  }
  return found
}

/** Only what is named is compared; names of headers without regard to case, and a JSON body as what it means. */
function isResponse(expected: ExpectedResponse, actual: TestAnswer['response']): boolean {
  if (!actual) return false
  const headers = new Map(Object.entries(actual.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (
    (expected.statusCode ?? actual.statusCode) === actual.statusCode &&
    Object.entries(expected.headers ?? {}).every(([name, value]) => headers.get(name.toLowerCase()) === value) &&
    (!('body' in expected) || expected.body === actual.body || isDeepStrictEqual(expected.body, parse(actual.body)))
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const placeOf = ({ line, column }: TestAnswer) =>
  line === null ? '' : `line ${line}${column === null ? '' : `:${column}`}: `

export type MadeCall = { method: string; url: string; data?: unknown }

/** Calls to applications, in the form in which tests write them. */
export function madeCalls({ calls }: TestAnswer): MadeCall[] {
  return calls.flatMap(({ kind, arguments: given }): MadeCall[] => {
    const call = given as { url: string; data?: unknown; shortName: string; request: Record<string, unknown> }
    if (kind === 'api.get') return [{ method: 'GET', url: call.url }]
    if (kind === 'api.post') return [{ method: 'POST', url: call.url, data: call.data }]
    if (kind !== 'api.send') return []
    const { verb, requestUrl, data } = call.request
    const url = `${call.shortName}/${String(requestUrl).replace(/^\/+/, '')}`
    return [{ method: String(verb).toUpperCase(), url, ...(data === undefined ? {} : { data }) }]
  })
}

function isSame(expected: ExpectedCall, made: MadeCall): boolean {
  if (typeof expected === 'string') return expected === `${made.method} ${made.url}` || expected === made.url
  return (
    (expected.method ?? made.method).toUpperCase() === made.method &&
    expected.url === made.url &&
    (!('data' in expected) || isDeepStrictEqual(expected.data ?? null, made.data ?? null))
  )
}
