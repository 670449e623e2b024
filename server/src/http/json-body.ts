import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, invalid } from '../lib/app-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyDeadline: NodeJS.Timeout | undefined
  }
}

/** How long a client may take to send a JSON body: the largest needs a second, a slow line a few. */
const bodyMsMax = 30_000

/** `app` must be a context of its own. JSON is the only type it reads. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    // An empty body is no body: operations whose fields are all optional accept it.
    if (text === '') done(null, undefined)
    else
      void parse(request, text, (error, value) => {
        if (error) done(error, undefined)
        else if (mayHoldHalfCharacters(text) && !isText(value)) done(halfCharacter(), undefined)
        else done(null, value)
      })
  })
}

/** Hooks for a route that takes a body: a client that does not come to an end of it is cut off. */
export function bodyTimeHooks(msMax = bodyMsMax) {
  const stop = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    clearTimeout(request.bodyDeadline)
    done()
  }
  return {
    onRequest: (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
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

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

// Only an escape can bring half of a surrogate pair into a JSON text that came as UTF-8.
function mayHoldHalfCharacters(text: string): boolean {
  return /\\u[dD][89a-fA-F]/.test(text)
}

function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(([name, item]) => name.isWellFormed() && isText(item))
}

function halfCharacter(): AppError {
  return invalid('The body holds half of a character (a lone surrogate), which is no text.')
}
