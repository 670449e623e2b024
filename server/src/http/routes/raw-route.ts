// Routes for requests of other systems, whose bodies are bytes and nothing else: they may be of any type, and are signed as they came.
// Part of the explicit list of routes without keys. They come by the thousand, so they are served without the framework.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { Logger } from 'pino'
import { newId } from '../../lib/id.ts'
import type { Metrics } from '../../metrics/index.ts'
import { readWholeBody } from '../admission/body-bytes.ts'
import type { Slot, Slots } from '../admission/slots.ts'
import { cellHeader, type ElsewhereLookup, mayBeElsewhere } from '../answer/elsewhere.ts'
import { type Refused, refusalOf } from '../answer/errors.ts'
import { logAnswer } from '../answer/log-answer.ts'
import type { ClientAddress } from '../connection/client-address.ts'
import { drainBody } from '../connection/drain-body.ts'

export type RawHead = {
  readonly method: string
  /** What the path says in the place of the step that varies. */
  readonly step: string
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  /** As it came, without the question mark. */
  readonly queryText: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
}

export type RawAnswer = {
  status: number
  /** Empty: none. */
  contentType: string
  body: string | Buffer
  headers?: readonly (readonly [name: string, value: string])[]
}

/** Who a request is for, and what answers it, now or later. */
export type RawReader = {
  accountId: string
  workflowId: string
  read(body: Buffer): RawAnswer | Promise<RawAnswer>
  /** Told when the request is refused after all, by `read` or because of its size. */
  onRefused?(refusal: { status: number; code: string; message: string }): void
}

export type RawRoute = {
  methods: readonly string[]
  /** Ends in one step that varies: `/webhook/:id`. */
  path: string
  bodyBytesMax: number
  /** Before a byte of the body is read: throws to refuse, else returns what reads and answers the request. */
  admit(head: RawHead): RawReader | Promise<RawReader>
}

export type RawOptions = {
  routes: readonly RawRoute[]
  metrics: Metrics
  logger: Logger
  clientAddress: ClientAddress
  slots: Slots
  elsewhere: ElsewhereLookup | undefined
  isClosing(): boolean
}

/** Returns false for a request that is meant for none of the routes. */
export function serveRawRoutes(options: RawOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  const places = options.routes.flatMap((route) =>
    route.methods.map((method): Place => {
      const prefix = route.path.slice(0, route.path.indexOf(':'))
      return { route, method, prefix, operation: `${method} ${route.path}` }
    }),
  )
  return (request, response) => {
    const url = pathOf(request.url ?? '')
    for (const place of places) {
      if (place.method !== request.method || !url.startsWith(place.prefix)) continue
      const queryAt = url.indexOf('?', place.prefix.length)
      const step = url.slice(place.prefix.length, queryAt === -1 ? undefined : queryAt)
      if (step === '' || step.includes('/')) continue
      const queryText = queryAt === -1 ? '' : url.slice(queryAt + 1)
      new RawExchange(options, place, { request, response, step, queryText }).begin()
      return true
    }
    return false
  }
}

type Place = { route: RawRoute; method: string; prefix: string; operation: string }

/** Servers must also understand the form that is meant for proxies, with scheme and host. */
function pathOf(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
}

/** `step` is the part of the path that names the resource. */
type Arrived = { request: IncomingMessage; response: ServerResponse; step: string; queryText: string }

class RawExchange implements RawHead {
  readonly method: string
  readonly step: string
  readonly queryText: string
  readonly #options: RawOptions
  readonly #place: Place
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #startedAt = performance.now()
  readonly #id = newId()
  #query: RawHead['query'] | undefined
  #slot: Slot | undefined
  #release: (() => void) | undefined
  #refusal: Refused['code'] | undefined
  #reader: RawReader | undefined

  constructor(options: RawOptions, place: Place, { request, response, step, queryText }: Arrived) {
    this.#options = options
    this.#place = place
    this.#request = request
    this.#response = response
    this.method = place.method
    this.step = step
    this.queryText = queryText
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }

  get query(): RawHead['query'] {
    this.#query ??= this.queryText === '' ? {} : { ...parse(this.queryText, '&', '=', { maxKeys: 0 }) }
    return this.#query
  }

  get address(): string {
    return this.#options.clientAddress(this.#request)
  }

  begin(): void {
    try {
      const reader = this.#place.route.admit(this)
      if (reader instanceof Promise)
        reader.then((admitted) => this.#read(admitted)).catch((error) => this.#refuse(error))
      else readSoon(this, reader)
    } catch (error) {
      this.#refuse(error)
    }
  }

  readNow(reader: RawReader): void {
    try {
      this.#read(reader)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #read(reader: RawReader): void {
    this.#reader = reader
    const body = readWholeBody(this.#request, this.#place.route.bodyBytesMax, {
      accountId: reader.accountId,
      workflowId: reader.workflowId,
      address: this.address,
    })
    if (body instanceof Promise) {
      const worked = body.then(({ bytes, release }) => {
        this.#release = release
        this.#work(reader, bytes)
      })
      worked.catch((error) => this.#refuse(error))
    } else this.#work(reader, body)
  }

  #work(reader: RawReader, body: Buffer): void {
    this.#slot = this.#options.slots.forWebhook(reader.accountId, this.address)
    const answer = reader.read(body)
    if (answer instanceof Promise)
      answer.then(
        (made) => this.#send(made),
        (error) => this.#refuse(error),
      )
    else this.#send(answer)
  }

  #refuse(error: unknown): void {
    const { elsewhere, logger } = this.#options
    const refused = refusalOf(error, this.#id, logger)
    this.#reader?.onRefused?.(refused)
    drainBody(this.#request)
    if (!mayBeElsewhere(elsewhere, refused.status)) return void this.#writeRefusal(refused)
    elsewhere.find(this.#request).then(
      (found) => {
        const cell = found?.refusal.status === 421 ? found.cell : undefined
        this.#writeRefusal(found?.refusal ?? refused, cell)
      },
      (cause) => this.#writeRefusal(refusalOf(cause, this.#id, logger)),
    )
  }

  #writeRefusal({ code, status, message, response }: Refused, cell?: string): void {
    this.#refusal = code
    try {
      this.#write(status, JSON.stringify({ code: status, errorMessage: message, response }), [
        'Content-Type',
        'application/json; charset=utf-8',
        ...(status === 429 || status === 503 ? ['Retry-After', '1'] : []),
        ...(cell === undefined ? [] : [cellHeader, cell]),
      ])
    } catch (error) {
      // Nothing can be said any more; the sender sees a broken connection and comes again.
      this.#options.logger.error({ err: error, requestId: this.#id }, 'A response could not be written.')
      this.#response.destroy()
    }
  }

  #send({ status, contentType, body, headers = [] }: RawAnswer): void {
    try {
      this.#write(status, body, [
        ...headers.flat(),
        ...(contentType === '' ? [] : ['Content-Type', contentType]),
        'X-Content-Type-Options',
        'nosniff',
      ])
    } catch (error) {
      this.#refuse(error)
    }
  }

  #write(status: number, body: string | Buffer, headers: string[]): void {
    const { isClosing, metrics, logger } = this.#options
    this.#slot?.release()
    this.#release?.()
    this.#slot = undefined
    this.#release = undefined
    headers.push('X-Request-Id', this.#id)
    if (status !== 204 && status !== 304) headers.push('Content-Length', String(Buffer.byteLength(body)))
    if (isClosing()) headers.push('Connection', 'close')
    this.#response.writeHead(status, headers)
    this.#response.end(body)
    const ms = performance.now() - this.#startedAt
    metrics.observeRequest(this.#place.operation, status, ms / 1000)
    const { method } = this
    const route = this.#place.route.path
    logAnswer(logger, { requestId: this.#id, method, route, status, ms, refusal: this.#refusal })
  }
}

// A body that came in one piece with its head is there as a whole once the event loop has handed out what arrived with it: then nothing has
// to listen for it.
let waiting: { exchange: RawExchange; reader: RawReader }[] = []

function readSoon(exchange: RawExchange, reader: RawReader): void {
  if (waiting.push({ exchange, reader }) === 1) setImmediate(readWaiting)
}

function readWaiting(): void {
  const ready = waiting
  waiting = []
  for (const { exchange, reader } of ready) exchange.readNow(reader)
}
