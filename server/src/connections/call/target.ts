// Where a request goes, and whether the credentials may go along.
import { AppError, invalid } from '../../lib/app-error.ts'
import {
  type Application,
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  matchesHost,
  type TemplateValues,
} from '../application.ts'
import { invalidCredentials } from '../credentials/read-credentials.ts'

export type Target = {
  url: URL
  /** False for hosts that the application may call but that must not see its credentials. */
  sendsCredentials: boolean
  /** As the outbound client wants them. */
  allowedHosts: string[]
}

export function resolveTarget(
  application: Application,
  values: TemplateValues,
  request: { path: string; baseUrl?: string | undefined },
): Target {
  const { base, trusted, others, allowedHosts } = reachOf(application, values)
  const path = expandRequestPath(request.path.trim(), application.credentialFields, values)
  const url = /^https?:\/\//i.test(path) ? readAddress(path, 'requestUrl') : join(readBase(request.baseUrl, base), path)
  if (url.href.includes('#')) url.hash = ''
  // Credentials that belong to an https service never travel in the clear.
  const isSecureEnough = base.protocol === 'http:' || url.protocol === 'https:'
  const isTrusted = trusted.some((pattern) => matchesHost(pattern, url.host))
  if (!isSecureEnough || !(isTrusted || others.some((pattern) => matchesHost(pattern, url.host)))) {
    throw new AppError(
      'host_not_allowed',
      `The application ${application.shortName} does not allow calls to ${url.origin}.`,
    )
  }
  return { url, sendsCredentials: isTrusted, allowedHosts }
}

type Reach = { application: Application; base: URL; trusted: string[]; others: string[]; allowedHosts: string[] }

/** Values never change once they are opened, so where they lead is worked out once. */
const reaches = new WeakMap<TemplateValues, Reach>()

function reachOf(application: Application, values: TemplateValues): Reach {
  const known = reaches.get(values)
  if (known?.application === application) return known
  const base = baseAddress(application, values)
  const hosts = hostsOf(application, values, base)
  const scheme = base.protocol === 'https:' ? 'https://' : ''
  const reach = { application, base, ...hosts, allowedHosts: hosts.trusted.map((pattern) => scheme + pattern) }
  reaches.set(values, reach)
  return reach
}

/** Throws when the values do not make an address; the message names the field. */
export function baseAddress(application: Application, values: TemplateValues): URL {
  try {
    return new URL(expandAddress(application.baseUrl ?? '', values))
  } catch (error) {
    throw invalidCredentials(`${(error as Error).message} (Base address of ${application.shortName}.)`)
  }
}

function hostsOf(application: Application, values: TemplateValues, base: URL): { trusted: string[]; others: string[] } {
  const trusted = [base.host]
  const others: string[] = []
  for (const entry of application.allowedHosts ?? []) {
    const pattern = expandHostPattern(typeof entry === 'string' ? entry : entry.host, values)
    if (pattern === '') continue
    if (typeof entry === 'string' || entry.sendCredentials) trusted.push(pattern)
    else others.push(pattern)
  }
  return { trusted: [...new Set(trusted)], others }
}

function readBase(given: string | undefined, base: URL): URL {
  return given === undefined || given.trim() === '' ? base : readAddress(given.trim(), 'baseUrl')
}

function readAddress(text: string, name: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      `The ${name === 'baseUrl' ? 'base address (baseUrl or srv)' : `field ${name}`} must be an http or https address.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('An address to call must not contain a user name or password.')
  }
  return url
}

/** The path is put behind the base as text: it cannot move the address to another host. */
function join(base: URL, path: string): URL {
  const [before = '', query] = splitOnce(path, '?')
  const left = `${base.origin}${base.pathname.replace(/\/+$/, '')}`
  const tail = before.replace(/^\/+/, '')
  const search = [base.search.slice(1), query ?? ''].filter((part) => part !== '').join('&')
  const url = URL.parse(`${left}${tail === '' ? '' : '/'}${tail}${search === '' ? '' : `?${search}`}`)
  if (url === null) throw invalid('The address to call is not a valid URL.')
  return url
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
