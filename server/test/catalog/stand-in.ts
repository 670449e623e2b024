import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expandRequestPath } from '../../src/catalog/format/address-template.ts'
import { answerTestRequest } from '../../src/catalog/read/test-application.ts'
import { encodeData } from '../../src/proxy/encode-data.ts'
import { shippedCatalog } from './bare-context.ts'

export type Received = {
  method: string
  app: string
  path: string
  query: URLSearchParams
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
  json: <T = Record<string, unknown>>() => T
}
export type Reply = { status?: number; json?: unknown; bytes?: Buffer }
export type SendRequest = {
  verb?: string
  requestUrl: string
  baseUrl?: string
  data?: unknown
  headers?: Record<string, string>
  responseType?: 'Json' | 'Text' | 'Binary'
  responseCodes?: number[]
}

/** A local server in place of the providers: `/<short name>/<path>` of every application ends in `handle`. */
export async function startStandIn(
  handle: (request: Received, origin: string) => Reply,
  credentials: Record<string, string> = {},
) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const url = new URL(request.url ?? '/', 'http://local')
    const [, app = '', ...path] = url.pathname.split('/')
    const { method = 'GET', headers } = request
    const seen = { method, app, path: path.map(decodeURIComponent).join('/'), query: url.searchParams, headers, body }
    const entry: Received = { ...seen, json: () => JSON.parse(body.toString()) }
    received.push(entry)
    const reply = handle(entry, origin)
    response.statusCode = reply.status ?? 200
    if (reply.bytes) response.end(reply.bytes)
    else
      response
        .setHeader('Content-Type', 'application/json')
        .end(reply.json === undefined ? '' : JSON.stringify(reply.json))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function send(shortName: string, request: SendRequest, newVersion = false): Promise<unknown> {
    const verb = request.verb ?? 'GET'
    if (shortName.toUpperCase() === 'TEST')
      return answerTestRequest({ method: verb, path: request.requestUrl, data: request.data }).data
    const fields = shippedCatalog.applications.find((item) => item.shortName === shortName)?.credentialFields ?? []
    const path = expandRequestPath(request.requestUrl, fields, credentials)
    const address = `${request.baseUrl === undefined || !request.baseUrl.startsWith('http://127') ? `${origin}/${shortName}` : request.baseUrl}/${path}`
    const { headers, body } = encodeData(verb, request.data as Parameters<typeof encodeData>[1], request.headers ?? {})
    const answer = await fetch(address, {
      method: verb,
      headers,
      ...(body === undefined ? {} : { body: body as string }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const accepted = request.responseCodes?.includes(answer.status) ?? answer.ok
    if (!accepted) throw new Error(`${verb} ${address} answered ${answer.status}: ${bytes.toString()}`)
    const type = request.responseType ?? 'Json'
    const value =
      type === 'Binary'
        ? bytes.toString('base64')
        : type === 'Text' || bytes.length === 0
          ? bytes.toString()
          : JSON.parse(bytes.toString())
    return newVersion ? { statusCode: answer.status, headers: Object.fromEntries(answer.headers), data: value } : value
  }
  const split = (url: string) => [url.slice(0, url.indexOf('/')), url.slice(url.indexOf('/') + 1)] as const
  const api = {
    send,
    get: (url: string) => send(split(url)[0], { verb: 'GET', requestUrl: split(url)[1] }),
    post: (url: string, data: unknown) => send(split(url)[0], { verb: 'POST', requestUrl: split(url)[1], data }),
  }
  return {
    api,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
