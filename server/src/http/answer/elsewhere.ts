// Requests that were sent to the wrong process, because those they are for live elsewhere now. Who that is, others know; here the refusal that would
// be given otherwise is replaced.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AppError } from '../../lib/app-error.ts'
import { type Refused, refusalOf } from './errors.ts'

export type ElsewhereLookup = {
  find(request: IncomingMessage): Promise<{ refusal: AppError; cell: string } | undefined>
}

export const cellHeader = 'Patchbay-Cell'

const statuses = new Set([401, 403, 404, 410])

/** A refusal that may only mean that the wrong process was asked. */
export function mayBeElsewhere(lookup: ElsewhereLookup | undefined, status: number): lookup is ElsewhereLookup {
  return lookup !== undefined && statuses.has(status)
}

export function sendOnElsewhere(app: FastifyInstance, lookup: ElsewhereLookup): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!mayBeElsewhere(lookup, reply.statusCode)) return void done(null, payload)
    const replace = (refusal: Refused) => {
      const { code, status, message, response } = refusal
      request.refusal = code
      reply.code(status).header('Content-Type', 'application/json; charset=utf-8').removeHeader('Content-Length')
      if (status === 503) reply.header('Retry-After', '1')
      done(null, JSON.stringify({ code: status, errorMessage: message, response }))
    }
    lookup.find(request.raw).then(
      (found) => {
        if (!found) return void done(null, payload)
        if (found.refusal.status === 421) reply.header(cellHeader, found.cell)
        replace(found.refusal)
      },
      // Whether the refusal is right, nobody can tell now, and people take it for final.
      (error) => replace(refusalOf(error, request.id, request.log)),
    )
  })
}
