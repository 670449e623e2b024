// The console at `/`: one page for all of its addresses, and the files that the page asks for. Neither says anything about anybody, so
// neither needs keys; what the page shows it reads from the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'
import { html, page } from './html.ts'

/** First parts of the console's addresses; elsewhere its page is a 404 that people can read. */
const places = [
  '',
  'workflows',
  'search',
  'connections',
  'catalogue',
  'templates',
  'upgrades',
  'vault',
  'accounts',
  'keys',
  'audit',
  'mail',
  'shares',
  'approvals',
  'failed-items',
  'alarms',
  'usage',
  'docs',
]

export function addConsole(app: FastifyInstance, files: ConsoleFiles): void {
  app.get('/*', { exposeHeadRoute: true }, async (request, reply) => {
    const path = request.url.split('?')[0] as string
    const file = files.find(path)
    if (file) return sendConsoleFile(request, reply, file)
    if (!isForPeople(request)) {
      const { error, allow } = app.knownPaths.refusalOf(request.method, request.url)
      if (allow !== undefined) reply.header('Allow', allow)
      throw error
    }
    return sendConsolePage(reply, files, places.includes(path.split('/')[1] as string) ? 200 : 404)
  })
}

/** Programs get a refusal they can read; the page is for browsers that ask for pages. */
function isForPeople(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] as string
  if (/^\/(api|webhook|assets)\//.test(path)) return false
  return path === '/' || (request.headers.accept ?? '').includes('text/html')
}

function sendConsolePage(reply: FastifyReply, files: ConsoleFiles, status: number): FastifyReply {
  const built = files.page()
  if (!built) {
    return reply
      .code(503)
      .header('Retry-After', '5')
      .header('Refresh', '5')
      .header('Cache-Control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page('Patchbay', html`<p>The console is being built. This page loads again in a few seconds.</p>`))
  }
  return reply
    .code(status)
    .header(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${built.nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    )
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Cross-Origin-Opener-Policy', 'same-origin-allow-popups')
    .header('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()')
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(built.html)
}

function sendConsoleFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  reply
    .header('Content-Type', file.type)
    .header('X-Content-Type-Options', 'nosniff')
    .header('ETag', file.etag)
    .header('Vary', 'Accept-Encoding')
    .header('Cache-Control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('Content-Encoding', 'br').send(file.brotli)
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('Content-Encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}
