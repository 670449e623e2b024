// Pages for people. Their forms are forms: no other kind of body is read here, and no other route reads forms.
import forms from '@fastify/formbody'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { sendFixed } from '../answer/fixed-answer.ts'
import { sendFile } from '../answer/send-file.ts'
import { refuseForeignOrigin } from '../caller/foreign-origin.ts'
import { exchangeOf } from '../exchange.ts'
import type { Page } from '../handler.ts'
import { bodyHooks } from '../json/json-body.ts'

const formBytesMax = 64 * 1024
/** People send forms in one go. */
const formMsMax = 10_000

/** `app` must be a context of its own: its other routes would lose their body parsers. */
export async function addPages(app: FastifyInstance, pages: readonly Page[]): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(forms, { bodyLimit: formBytesMax })
  // In a context below, where the parser of forms is there.
  const servePages: FastifyPluginAsync = async (context) => {
    for (const page of pages) addPage(context, page)
  }
  await app.register(servePages)
}

function addPage(app: FastifyInstance, page: Page): void {
  app.route({
    method: page.method,
    url: page.path,
    bodyLimit: formBytesMax,
    exposeHeadRoute: page.method === 'GET',
    ...(page.method === 'POST' ? bodyHooks(undefined, formMsMax) : {}),
    handler: async (request, reply) => {
      if (page.method === 'POST') refuseForeignOrigin(exchangeOf(request, reply))
      const answer = await page.render({
        query: texts(request.query),
        form: texts(request.body),
        exchange: exchangeOf(request, reply),
      })
      reply
        .header(
          'Content-Security-Policy',
          `default-src 'none'; ${'hasScript' in answer ? "script-src 'self'; connect-src 'self'; " : ''}style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
        )
        .header('Referrer-Policy', 'no-referrer')
        .header('X-Content-Type-Options', 'nosniff')
        .header('Cache-Control', 'no-store')
      if ('fixed' in answer) return sendFixed(reply, answer.fixed)
      if ('file' in answer) return sendFile(reply, answer.file)
      if ('redirectTo' in answer) return reply.redirect(answer.redirectTo, 303)
      return reply.code(answer.status).type('text/html; charset=utf-8').send(answer.html)
    },
  })
}

/** Forms and queries as plain texts: a value that was sent twice counts once, and what is no text is none. */
function texts(values: unknown): Record<string, string> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>)
  return Object.fromEntries(entries.map(([name, value]) => [name, firstText(value)]))
}

function firstText(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first.toWellFormed() : ''
}
