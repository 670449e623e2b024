// A document library behind a graph API, as its public documentation describes it: an identity provider, the graph itself and, on an
// address of its own, the store that upload and download addresses lead to.
import { randomUUID } from 'node:crypto'
import { type HttpTarget, startHttpTarget, type TargetReply, type TargetRequest } from './http-target.ts'

export type GraphApp = { secret: string; roles: string[] }
type Item = { id: string; name: string; parentId: string | null; content: Buffer | null }
type Site = { id: string; permissions: Map<string, string>; drives: { id: string; name: string; items: Item[] }[] }
type Upload = { site: Site; path: string; received: Buffer; driveId: string }

export type GraphServer = AsyncDisposable & {
  origin: string
  /** What the connector's field `host` holds. */
  host: string
  tenantId: string
  apps: Map<string, GraphApp>
  sites: Map<string, Site>
  addSite(path: string): Site
  /** Method and decoded path of every request to the graph, with its status. */
  calls: string[]
  tokensGiven: number
  /** Byte ranges that came in through upload sessions. */
  parts: string[]
  pageSize: number
  /** Some parts of the graph answer 401 and some 403 to a token without any permission. */
  statusWithoutConsent: 401 | 403
  /** The next requests to the graph are answered with 429. */
  throttle(times: number, retryAfterSeconds: number): void
  /** Tokens given so far are no longer accepted, although nobody was told. */
  expireTokens(): void
}

const refusal = (status: number, code: string, message: string): TargetReply => ({
  status,
  json: { error: { code, message, innerError: { 'request-id': randomUUID() } } },
})
const accessDenied = () => refusal(403, 'accessDenied', 'Access denied')
const notThere = () => refusal(404, 'itemNotFound', 'The resource could not be found.')

export async function startGraphServer(): Promise<GraphServer> {
  const tokens = new Map<string, string>()
  const uploads = new Map<string, Upload>()
  const downloads = new Map<string, Buffer>()
  let throttled = { left: 0, retryAfterSeconds: 0 }
  const store: HttpTarget = await startHttpTarget((request) => answerStore(request))
  const graph: HttpTarget = await startHttpTarget((request) => {
    const reply = request.url.startsWith('/v1.0/') ? answerGraph(request) : giveToken(request)
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '').replace(self.host, '{host}')
    self.calls.push(`${request.method} ${path} ${reply.status ?? 200}`)
    return reply
  })
  const self: GraphServer = {
    origin: graph.origin,
    host: new URL(store.origin).host,
    tenantId: randomUUID(),
    apps: new Map(),
    sites: new Map(),
    calls: [],
    tokensGiven: 0,
    parts: [],
    pageSize: 2,
    statusWithoutConsent: 401,
    addSite(path) {
      const drive = (name: string) => ({
        id: `b!${name}`,
        name,
        items: [{ id: `root-${name}`, name: 'root', parentId: null, content: null }],
      })
      const site: Site = {
        id: `${self.host},${randomUUID()},${randomUUID()}`,
        permissions: new Map(),
        drives: [drive('Documents'), drive('Archive')],
      }
      self.sites.set(path, site)
      return site
    },
    throttle: (times, retryAfterSeconds) => {
      throttled = { left: times, retryAfterSeconds }
    },
    expireTokens: () => tokens.clear(),
    async [Symbol.asyncDispose]() {
      await Promise.all([graph[Symbol.asyncDispose](), store[Symbol.asyncDispose]()])
    },
  }

  function giveToken({ method, url, body }: TargetRequest): TargetReply {
    const refuse = (status: number, error: string, error_description: string) => ({
      status,
      json: { error, error_description },
    })
    const tenant = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(url)?.[1]
    if (method !== 'POST' || tenant === undefined) return { status: 404 }
    if (tenant !== self.tenantId) return refuse(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`)
    const form = new URLSearchParams(body.toString())
    const clientId = form.get('client_id') ?? ''
    const app = self.apps.get(clientId)
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== `${self.origin}/.default`) {
      return refuse(400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.')
    }
    if (!app) return refuse(400, 'unauthorized_client', `AADSTS700016: Application '${clientId}' was not found.`)
    if (form.get('client_secret') !== app.secret) {
      return refuse(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.')
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { appid: clientId, jti: randomUUID(), ...(app.roles.length > 0 ? { roles: [...app.roles] } : {}) }
    const token = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`
    tokens.set(token, clientId)
    self.tokensGiven++
    return { json: { token_type: 'Bearer', expires_in: 3599, access_token: token } }
  }

  function answerGraph(request: TargetRequest): TargetReply {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const clientId = tokens.get(token)
    if (clientId === undefined) return refusal(401, 'InvalidAuthenticationToken', 'Access token has expired.')
    if (throttled.left > 0) {
      throttled.left--
      const headers = { 'retry-after': String(throttled.retryAfterSeconds) }
      return { ...refusal(429, 'TooManyRequests', 'Please retry again later.'), headers }
    }
    const { roles = [] } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as GraphApp
    if (roles.length === 0)
      return refusal(self.statusWithoutConsent, 'generalException', 'General exception while processing')
    const [path = '', query = ''] = decodeURIComponent(request.url).slice('/v1.0/'.length).split('?')
    const found = findPlace(path)
    if (!found) return notThere()
    const { site, rest } = found
    const isWrite = request.method !== 'GET'
    if (rest === '/permissions') return roles.includes('Sites.FullControl.All') ? grant(site, request) : accessDenied()
    if (!mayEnter(site, clientId, roles, isWrite)) return accessDenied()
    if (rest === '') return { json: { id: site.id, displayName: 'Team' } }
    if (rest === '/drives') return { json: { value: site.drives.map(({ id, name }) => ({ id, name })) } }
    return answerDrive(request, site, found.driveId ?? site.drives[0]?.id ?? '', rest.replace(/^\/drive/, ''), query)
  }

  /** `sites/{host}:{path}`, the same with `:/…` behind it, `sites/{id}/…` or `drives/{id}/…`. */
  function findPlace(path: string): { site: Site; rest: string; driveId?: string } | undefined {
    const byPath = path.startsWith(`sites/${self.host}:`) ? path.slice(`sites/${self.host}:`.length) : undefined
    if (byPath !== undefined) {
      const [sitePath = ''] = byPath.split(':', 1)
      const site = self.sites.get(sitePath)
      return site && { site, rest: byPath.slice(sitePath.length).replace(/^:/, '') }
    }
    const [, kind, id = '', rest = ''] = /^(sites|drives)\/([^/]+)(.*)$/.exec(path) ?? []
    for (const site of self.sites.values()) {
      if (kind === 'sites' && site.id === id) return { site, rest }
      if (kind === 'drives' && site.drives.some((drive) => drive.id === id)) return { site, rest, driveId: id }
    }
    return undefined
  }

  function grant(site: Site, request: TargetRequest): TargetReply {
    const body = JSON.parse(request.body.toString())
    const clientId: string = body.grantedToIdentities?.[0]?.application?.id ?? ''
    if (!self.apps.has(clientId)) return refusal(400, 'invalidRequest', 'The application is not known.')
    site.permissions.set(clientId, body.roles[0])
    return { status: 201, json: { id: `aTowaS50-${clientId}`, roles: body.roles } }
  }

  function answerDrive(request: TargetRequest, site: Site, driveId: string, rest: string, query: string): TargetReply {
    const items: Item[] = site.drives.find(({ id }) => id === driveId)?.items ?? []
    const root = items[0] as Item
    const words = /^\/root\/search\(q='(.*)'\)$/.exec(rest)?.[1]?.replaceAll("''", "'").toLowerCase()
    if (words !== undefined) {
      const hits = items.filter((item) => item !== root && item.name.toLowerCase().includes(words))
      return page(request, hits, query)
    }
    const [, path = '', action = ''] =
      /^\/root(?::\/(.*?))?(?::?\/(content|children|createUploadSession))?$/.exec(rest) ?? []
    const found = walk(items, path)
    if (action === 'createUploadSession') {
      const id = randomUUID()
      uploads.set(id, { site, driveId, path, received: Buffer.alloc(0) })
      return { json: { uploadUrl: `${store.origin}/upload/${id}?tempauth=secret`, nextExpectedRanges: ['0-'] } }
    }
    if (action === 'content' && request.method === 'PUT') return keep(items, path, request.body)
    if (!found) return notThere()
    if (action === 'children' && request.method === 'POST') {
      const { name } = JSON.parse(request.body.toString())
      if (items.some((item) => item.parentId === found.id && item.name === name)) {
        return refusal(409, 'nameAlreadyExists', 'The specified item name already exists.')
      }
      return { status: 201, json: shown(add(items, found, name, null)) }
    }
    if (action === 'children')
      return page(
        request,
        items.filter((item) => item.parentId === found.id),
        query,
      )
    if (action === 'content') {
      const id = randomUUID()
      downloads.set(id, found.content ?? Buffer.alloc(0))
      return { status: 302, headers: { location: `${store.origin}/download/${id}?tempauth=secret` } }
    }
    if (request.method === 'DELETE') {
      items.splice(items.indexOf(found), 1)
      return { status: 204 }
    }
    if (request.method === 'PATCH') {
      const change = JSON.parse(request.body.toString())
      found.name = change.name ?? found.name
      found.parentId = change.parentReference?.id ?? found.parentId
    }
    return { json: shown(found) }
  }

  function page({ url }: TargetRequest, all: Item[], query: string): TargetReply {
    const skip = Number(new URLSearchParams(query).get('$skiptoken') ?? 0)
    const next = skip + self.pageSize
    const address = `${self.origin}${url.split('?', 1)[0]}?$skiptoken=${next}`
    const more = next < all.length ? { '@odata.nextLink': address } : {}
    return { json: { value: all.slice(skip, next).map(shown), ...more } }
  }

  function answerStore(request: TargetRequest): TargetReply {
    const [, kind, id = ''] = /^\/(upload|download)\/([^?]+)\?tempauth=secret$/.exec(request.url) ?? []
    // These addresses carry their own permission, and a second one is refused.
    if (kind === undefined || request.headers.authorization !== undefined) return { status: 401 }
    const download = downloads.get(id)
    if (kind === 'download') return download ? { body: download } : { status: 404 }
    const upload = uploads.get(id)
    if (!upload) return notThere()
    const range = request.headers['content-range'] ?? ''
    const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []
    const size = Number(end) - Number(start) + 1
    const isLast = Number(end) + 1 === Number(total)
    if (Number(start) !== upload.received.length || request.body.length !== size) return { status: 416, json: {} }
    if (!isLast && size % (320 * 1024) !== 0) return refusal(400, 'invalidRequest', 'Parts are multiples of 320 KiB.')
    self.parts.push(`${start}-${end}/${total}`)
    upload.received = Buffer.concat([upload.received, request.body])
    if (!isLast) return { status: 202, json: { nextExpectedRanges: [`${upload.received.length}-`] } }
    uploads.delete(id)
    const drive = upload.site.drives.find((candidate) => candidate.id === upload.driveId)
    return keep(drive?.items ?? [], upload.path, upload.received)
  }

  return self
}

function mayEnter(site: Site, clientId: string, roles: string[], isWrite: boolean): boolean {
  const isWide = roles.some((role) => /^Sites\.(ReadWrite|FullControl|Manage)\.All$/.test(role))
  if (isWide || (!isWrite && roles.includes('Sites.Read.All'))) return true
  const role = roles.includes('Sites.Selected') ? site.permissions.get(clientId) : undefined
  return role !== undefined && (!isWrite || role === 'write')
}

function walk(items: Item[], path: string): Item | undefined {
  let at = items[0]
  for (const name of path.split('/').filter((part) => part !== '')) {
    const parentId = at?.id
    at = items.find((item) => item.parentId === parentId && item.name === name)
    if (!at) return undefined
  }
  return at
}

function keep(items: Item[], path: string, content: Buffer): TargetReply {
  const names = path.split('/')
  const fileName = names.pop() ?? ''
  let folder = items[0] as Item
  for (const name of names) {
    const parent = folder
    folder = items.find((item) => item.parentId === parent.id && item.name === name) ?? add(items, parent, name, null)
  }
  const known = items.find((item) => item.parentId === folder.id && item.name === fileName)
  if (known) known.content = content
  return { status: known ? 200 : 201, json: shown(known ?? add(items, folder, fileName, content)) }
}

function add(items: Item[], parent: Item, name: string, content: Buffer | null): Item {
  const item = { id: randomUUID(), name, parentId: parent.id, content }
  items.push(item)
  return item
}

function shown({ id, name, content }: Item) {
  return { id, name, ...(content === null ? { folder: {} } : { file: {}, size: content.length }) }
}
