// A path that exists but does not take the method is told apart from one that does not exist.
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { sendError } from '../answer/errors.ts'
import type { RawRoute } from './raw-route.ts'

declare module 'fastify' {
  interface FastifyInstance {
    knownPaths: KnownPaths
  }
  interface FastifyContextConfig {
    /** The route is there only to refuse its method. */
    refusesMethod?: true
  }
}

/** Before any route is added. */
export function refuseUnknownRoutes(app: FastifyInstance, rawRoutes: readonly RawRoute[]): void {
  const known = new KnownPaths(rawRoutes)
  known.watch(app)
  app.decorate('knownPaths', known)
  app.setNotFoundHandler((request, reply) => {
    const { error, allow } = known.refusalOf(request.method, request.url)
    if (allow !== undefined) reply.header('Allow', allow)
    return sendError(error, request, reply)
  })
}

class KnownPaths {
  /** By pattern. */
  readonly #methods = new Map<string, Set<string>>()
  #patterns: { pattern: RegExp; methods: Set<string> }[] | undefined

  constructor(rawRoutes: readonly RawRoute[]) {
    for (const { path, methods } of rawRoutes) this.#add(path, methods)
  }

  /** Learns every route that is added from now on. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method, config }) => {
      if (!url.includes('*') && !config?.refusesMethod) this.#add(url, [method].flat())
    })
  }

  /** What to answer where no route takes the request. */
  refusalOf(method: string, url: string): { error: AppError; allow: string | undefined } {
    const path = url.split('?')[0] as string
    this.#patterns ??= [...this.#methods].map(([pattern, methods]) => ({ pattern: toPattern(pattern), methods }))
    const methods = this.#patterns.flatMap((known) => (known.pattern.test(path) ? [...known.methods] : []))
    if (methods.length === 0 || methods.includes(method))
      return { error: new AppError('route_not_found', `No such route: ${method} ${path}.`), allow: undefined }
    const allow = [...new Set(methods)].sort().join(', ')
    return { error: new AppError('method_not_allowed', `${path} does not take ${method}. Use ${allow}.`), allow }
  }

  #add(path: string, methods: readonly string[]): void {
    const known = this.#methods.get(path) ?? new Set()
    for (const method of methods) known.add(method.toUpperCase())
    this.#methods.set(path, known)
    this.#patterns = undefined
  }
}

function toPattern(path: string): RegExp {
  const steps = path
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${steps.join('/')}$`)
}
