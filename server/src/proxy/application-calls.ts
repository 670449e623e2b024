// Calls to registered applications, alike for the REST interface and for scripts.
import { proxyVerbs } from '@patchbay/contract'
import type { ConnectionAnswer, ConnectionRequest, Connections } from '../connections/index.ts'
import { AppError, invalid, notFound } from '../lib/app-error.ts'
import { toUtf8 } from '../lib/charset.ts'
import { maskUrl } from '../outbound/index.ts'
import type { ApplicationCalls, Exchange } from './application-call.ts'
import { decodeAnswer } from './decode-answer.ts'
import { encodeData } from './encode-data.ts'
import { refusal } from './refusal.ts'

/** Of an answer, for those who are told of it: more than anybody records. */
const toldBytesMax = 256 * 1024
const safeVerbs = ['GET', 'HEAD', 'OPTIONS']

/** What a call needs of connections, so that something else can stand in for them. */
export type CallableConnections = Pick<Connections, 'find' | 'send' | 'secretsOf'>

export function createApplicationCalls({ connections }: { connections: CallableConnections }): ApplicationCalls {
  return {
    async call(scope, call) {
      const method = readVerb(call.verb)
      const connection = await connections.find(scope, call.shortName, call.regApplicationId)
      if (!connection) throw notFound(`registered application ${call.shortName}`)
      const sent = encodeData(method, call.dataText ?? call.data, call.headers ?? {})
      const idempotencyKey = safeVerbs.includes(method) ? undefined : call.idempotencyKey
      const request: ConnectionRequest = { method, path: call.requestUrl, headers: sent.headers }
      if (call.baseUrl !== undefined) request.baseUrl = call.baseUrl
      if (sent.body !== undefined) request.body = sent.body
      if (idempotencyKey !== undefined) request.idempotencyKey = idempotencyKey
      if (call.responseCodes !== undefined) request.acceptedCodes = call.responseCodes
      if (call.signal !== undefined) request.signal = call.signal
      if (call.onPause !== undefined) request.onPause = call.onPause
      if (call.onHeld !== undefined) request.onHeld = call.onHeld
      const ended = call.onExchange && exchangeTeller(call.onExchange, method, sent.body)
      let answer: ConnectionAnswer
      try {
        answer = await connections.send(scope, connection, request)
      } catch (error) {
        ended?.(() => ({
          url: endpointOf(connection.shortName, call.requestUrl),
          errorMessage: error instanceof Error ? error.message : String(error),
        }))
        throw error
      }
      const { statusCode, headers, pausedMs, body } = answer
      ended?.(() => ({
        ...{ url: hideSecretValues(answer.url), statusCode, responseBytes: body.length, answer },
        responseBody: toUtf8(body.subarray(0, toldBytesMax), headers['content-type']),
      }))
      if (!isAccepted(statusCode, call.responseCodes)) {
        throw refusal(method, answer, await connections.secretsOf(scope, [connection.id]))
      }
      const decoded = await decodeAnswer(scope.accountId, answer, call.responseType)
      return { statusCode, headers, ...decoded, pausedMs }
    },
  }
}

type ExchangeEnd = Pick<Exchange, 'url' | 'statusCode' | 'errorMessage'> & {
  responseBytes?: number
  responseBody?: Buffer | undefined
  answer?: ConnectionAnswer
}

/** Starts the clock of a call and gives what to call at its end. */
function exchangeTeller(
  tell: (describe: () => Exchange) => void,
  method: string,
  body: string | Buffer | undefined,
): (end: () => ExchangeEnd) => void {
  const startedAt = new Date()
  const startedMs = performance.now()
  return (end) =>
    tell(() => ({
      method,
      startedAt,
      durationMs: performance.now() - startedMs,
      requestBytes: body === undefined ? 0 : Buffer.byteLength(body),
      responseBytes: 0,
      ...(body === undefined ? {} : { requestBody: body }),
      ...end(),
    }))
}

/** What was to be called, without the query: it may hold anything. */
export function endpointOf(shortName: string, requestUrl: string): string {
  return `${shortName}/${requestUrl.split(/[?#]/, 1)[0]?.replace(/^\/+/, '')}`
}

/** The caller may have put a secret into the query itself. */
export function hideSecretValues(address: string): string {
  const url = URL.parse(address)
  return url === null ? address : maskUrl(url, undefined)
}

function readVerb(verb: string): string {
  if (proxyVerbs.includes(verb)) return verb
  const known = proxyVerbs.find((candidate) => candidate === verb.trim().toUpperCase())
  if (known === undefined) throw invalid(`The field verb must be one of ${proxyVerbs.join(', ')}.`)
  return known
}

function isAccepted(status: number, codes: readonly number[] | undefined): boolean {
  return codes === undefined || codes.length === 0 ? status >= 200 && status < 300 : codes.includes(status)
}

/** `<short name>/<endpoint>` */
export function splitAddress(url: string): { shortName: string; requestUrl: string } {
  const [, shortName, requestUrl] = /^\/*([^/?#]+)(.*)$/s.exec(url.trim()) ?? []
  if (shortName === undefined)
    throw new AppError('invalid_request', 'The address must have the form <short name>/<endpoint>.')
  return { shortName, requestUrl: requestUrl ?? '' }
}
