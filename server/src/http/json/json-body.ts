// JSON bodies: read within their share of bytes and their time, and parsed here only when that takes a moment.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../lib/app-error.ts'
import { bodyDepthMax } from '../../lib/body-text.ts'
import { holdsHalfCharacter } from '../../lib/half-characters.ts'
import { scanJson } from '../../lib/json-scan.ts'
import { JsonText } from '../../lib/json-text.ts'
import { isLarge } from '../../lib/large-body.ts'
import { ThreadPool } from '../../lib/thread-pool.ts'
import { type BodyRoom, countedBodyMin } from '../admission/body-room.ts'
import { exchangeOf } from '../exchange.ts'
import { bodyValuesMax, type LargeJson, type TextMembers } from './large-json.ts'

/**
 * `handedOn`: a member that may hold any number of values, and stays a JsonText where there are many. `largeText`: one that stays a JsonText where it
 * is a very long text; it is put into the body after that was checked.
 */
export type BodyRules = { bytesMax: number } & TextMembers

declare module 'fastify' {
  interface FastifyInstance {
    bodyRoom: BodyRoom
  }
  interface FastifyRequest {
    bodyDeadline: NodeJS.Timeout | undefined
    bodyRules: BodyRules | undefined
    largeText: JsonText | undefined
  }
}

type Done = (error: Error | null, value?: unknown) => void
type ParseText = (request: FastifyRequest, text: string, done: Done) => void

/** How long a client may take to send a JSON body: the largest needs a second, a slow line a few. */
const bodyMsMax = 30_000

const threads = new ThreadPool<{ body: Uint8Array } & TextMembers, LargeJson>(
  new URL('./large-json-thread.ts', import.meta.url),
)

/** `app` must be a context of its own. JSON is the only type it reads. */
export function parseJsonBodies(app: FastifyInstance, defaultBytesMax: number): void {
  const parse = app.getDefaultJsonParser('error', 'error') as ParseText
  const room = app.bodyRoom
  app.decorateRequest('bodyRules', undefined)
  app.decorateRequest('largeText', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, _payload, done: Done) => {
    const rules = request.bodyRules ?? { bytesMax: defaultBytesMax }
    readBytes(request, room, rules, (error, body) => {
      if (error) done(error)
      // An empty body is no body: operations whose fields are all optional accept it.
      else if (body.length === 0) done(null, undefined)
      else if (isLarge(body)) parseLarge(request, body, parse, done)
      else if (holdsHalfCharacter(body)) done(halfCharacter())
      else if (isTooDeep(body)) done(refusalOf('tooDeep'))
      else parse(request, body.toString(), done)
    })
  })
}

/** Hooks for a route that takes a body: a client that does not come to an end of it is cut off. */
export function bodyHooks(rules?: BodyRules, msMax = bodyMsMax) {
  const stop = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    clearTimeout(request.bodyDeadline)
    done()
  }
  return {
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      if (rules !== undefined) request.bodyRules = rules
      exchangeOf(request, reply)
      if (hasBody(request)) request.bodyDeadline = setTimeout(() => request.raw.destroy(), msMax)
      done()
    },
    preValidation: stop,
    onResponse: stop,
    onRequestAbort: (request: FastifyRequest, done: () => void) => {
      clearTimeout(request.bodyDeadline)
      done()
    },
  }
}

function readBytes(
  request: FastifyRequest,
  room: BodyRoom,
  { bytesMax }: BodyRules,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const { raw } = request
  const chunks: Buffer[] = []
  let bytes = 0
  let isHeld = false
  const hold = (amount: number): void => {
    isHeld = true
    const release = room.take(request.principal, request.headers['consumer'], amount)
    request.exchange?.onClose(release)
  }
  const end = (error: Error | null): void => {
    raw.off('data', onData).off('end', onEnd).off('error', onLost)
    done(error, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes))
  }
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    chunks.push(chunk)
    try {
      if (bytes > bytesMax) throw tooLarge()
      // It did not say how long it is, so it may become as long as any.
      if (bytes > countedBodyMin && !isHeld) hold(bytesMax)
    } catch (error) {
      chunks.length = 0
      bytes = 0
      end(error as Error)
    }
  }
  const onEnd = (): void => end(null)
  const onLost = (): void => end(invalid('The connection was lost before the body was complete.'))
  try {
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > bytesMax) throw tooLarge()
    if (declared > countedBodyMin) hold(declared)
    raw.on('data', onData).on('end', onEnd).on('error', onLost)
  } catch (error) {
    done(error as Error, Buffer.alloc(0))
  }
}

function parseLarge(request: FastifyRequest, body: Buffer, parse: ParseText, done: Done): void {
  const { handedOn, largeText }: TextMembers = request.bodyRules ?? {}
  const owner = request.principal?.account.id ?? ''
  threads.run(owner, { body, handedOn, largeText }).then((found) => {
    if (found.kind !== 'json') return done(refusalOf(found.kind))
    const text = Buffer.from(found.body.buffer, found.body.byteOffset, found.body.byteLength)
    const { cut } = found
    // What follows looks at the whole value as well, so others go first.
    const later: Done = (error, value) => void setImmediate(done, error, value)
    if (!cut) return parse(request, text.toString(), later)
    const stays = new JsonText(text.subarray(cut.start, cut.end))
    const rest = (instead: string) => text.toString('utf8', 0, cut.start) + instead + text.toString('utf8', cut.end)
    if (largeText !== undefined) {
      request.largeText = stays
      return parse(request, rest('""'), done)
    }
    parse(request, rest('null'), (error, value) => {
      if (error) return done(error)
      const whole = value as Record<string, unknown>
      whole[handedOn as string] = stays
      later(null, whole)
    })
  }, done)
}

function refusalOf(kind: Exclude<LargeJson['kind'], 'json'>): AppError {
  switch (kind) {
    case 'notJson':
      return invalid('The body is not valid JSON.')
    case 'tooDeep':
      return invalid(`The body is nested more than ${bodyDepthMax} levels deep.`)
    case 'tooMany':
      return invalid(`The body holds more than ${bodyValuesMax} values. Send it in parts.`)
    case 'halfCharacter':
      return halfCharacter()
  }
}

/** What reads and writes values goes as deep as they do, so a body of some kilobytes could exhaust the stack. */
function isTooDeep(body: Buffer): boolean {
  // Each level has two brackets, and most bodies are shorter than that.
  return body.length > 2 * bodyDepthMax && scanJson(body, bodyDepthMax).kind === 'tooDeep'
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function halfCharacter(): AppError {
  return invalid('The body contains an unpaired surrogate (\\ud800 to \\udfff), which is not valid text.')
}

function tooLarge(): AppError {
  return new AppError('body_too_large', 'The body is larger than this operation accepts.')
}
