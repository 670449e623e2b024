import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isAllowedHost } from '../../src/outbound/guard/allowed-hosts.ts'
import { createClient, echo, failureOf, startHttp } from './peers.ts'

const secretHeaders = { authorization: 'Bearer s3cret-token', 'x-api-key': 's3cret-key' }
const secretQuery = { api_key: 's3cret-query' }

/** Everything of a request in which a secret could hide. */
const traceOf = (request: IncomingMessage) => `${request.url} ${request.rawHeaders.join(' ')}`

describe('credentials', () => {
  it('travel to the hosts of their application', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const credentials = { allowedHosts: [peer.host], headers: secretHeaders, query: secretQuery }
    const response = await client.send({
      method: 'POST',
      url: `${peer.origin}/a?q=x%20y`,
      headers: { Authorization: 'Bearer of-the-caller', Accept: 'application/json' },
      body: '{}',
      credentials,
      idempotencyKey: 'run-1',
    })
    const seen = JSON.parse(response.body.toString())
    expect(seen).toMatchObject({ method: 'POST', url: '/a?q=x%20y&api_key=s3cret-query', body: '{}' })
    expect(seen.headers).toMatchObject({ ...secretHeaders, accept: 'application/json', 'idempotency-key': 'run-1' })
    expect(response.url).toBe(`${peer.origin}/a?q=x%20y`)
  })

  it('make a call to any other host fail before it is made', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: '127.0.0.1', resolve: async () => ['127.0.0.1'] })
    const foreign = ['api.example.com', '*.test', `other.test:${peer.port}`, '127.0.0.1', `https://${peer.host}`, '']
    for (const allowedHosts of [...foreign.map((host) => [host]), []]) {
      const request = { method: 'GET', url: peer.origin, credentials: { allowedHosts, headers: secretHeaders } }
      expect((await failureOf(client.send(request))).kind).toBe('credentialsForeignHost')
    }
    expect(peer.connections).toBe(0)
  })

  it.each([301, 302, 303, 307, 308])(
    'stay behind when a %i leads to another origin, also if it leads back',
    async (status) => {
      const traces: string[] = []
      await using foreign = await startHttp((request, response) => {
        traces.push(traceOf(request))
        if (request.url?.startsWith('/back')) response.writeHead(status, { location: `${home.origin}/end` }).end()
        else response.end('foreign')
      })
      await using home = await startHttp((request, response) => {
        if (request.url === '/end') {
          traces.push(traceOf(request))
          response.end('home')
        } else {
          const location = `${foreign.origin}${request.url!.replace('/start', '/back')}`
          response.writeHead(status, { location, 'set-cookie': 'session=s3cret-cookie' }).end()
        }
      })
      await using client = createClient({ allow: '127.0.0.1' })
      const response = await client.send({
        method: 'POST',
        url: `${home.origin}/start?page=2`,
        body: 'text',
        headers: {
          cookie: 'a=s3cret-cookie',
          'x-session-id': 's3cret-session',
          'x-other': 'kept',
          accept: 'text/plain',
        },
        credentials: { allowedHosts: [home.host, foreign.host], headers: secretHeaders, query: secretQuery },
      })
      expect(response).toMatchObject({ status: 200, redirects: 2 })
      expect(response.body.toString()).toBe('home')
      expect(traces).toHaveLength(2)
      expect(traces.join()).not.toContain('s3cret')
      expect(traces[0]).toMatch(/^\/back\?page=2 .*x-other kept/)
    },
  )

  it.each([301, 302, 303, 307, 308])('go along when a %i stays on the same origin', async (status) => {
    await using peer = await startHttp((request, response) => {
      if (request.url?.startsWith('/start')) response.writeHead(status, { location: '/end' }).end()
      else void echo(request, response)
    })
    await using client = createClient({ allow: peer.host })
    const response = await client.send({
      method: 'GET',
      url: `${peer.origin}/start`,
      credentials: { allowedHosts: [peer.host], headers: secretHeaders, query: secretQuery },
    })
    const seen = JSON.parse(response.body.toString())
    expect(seen.url).toBe('/end?api_key=s3cret-query')
    expect(seen.headers).toMatchObject(secretHeaders)
    expect(response.url).toBe(`${peer.origin}/end`)
  })

  it('in a body follow no redirect to another origin', async () => {
    await using foreign = await startHttp(echo)
    await using home = await startHttp((_request, response) => {
      response.writeHead(307, { location: foreign.origin }).end()
    })
    await using client = createClient({ allow: '127.0.0.1' })
    const credentials = { allowedHosts: [home.host], isBodySecret: true }
    const request = { method: 'POST', url: home.origin, body: 'client_secret=s3cret', credentials }
    expect((await failureOf(client.send(request))).kind).toBe('redirectRefused')
    expect(foreign.connections).toBe(0)
  })

  it('cannot be led astray by a Host header', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const send = (host: string) => client.send({ method: 'GET', url: peer.origin, headers: { HOST: host } })
    expect((await failureOf(send('evil.example'))).kind).toBe('invalidRequest')
    expect((await send(peer.host)).status).toBe(200)
  })

  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', '__proto__', 'a b'])(
    'cannot be put into the header %s',
    async (name) => {
      await using peer = await startHttp(echo)
      await using client = createClient({ allow: peer.host })
      const credentials = { allowedHosts: [peer.host], headers: Object.fromEntries([[name, 's3cret']]) }
      expect((await failureOf(client.send({ method: 'GET', url: peer.origin, credentials }))).kind).toBe(
        'invalidRequest',
      )
      expect(peer.connections).toBe(0)
    },
  )
})

describe('allowed hosts', () => {
  const allows = (entry: string, url: string) => isAllowedHost([entry], new URL(url))

  it.each([
    ['api.example.com', 'https://api.example.com/x'],
    ['API.Example.com.', 'http://api.example.com/'],
    ['api.example.com:8443', 'https://api.example.com:8443/'],
    ['api.example.com:443', 'https://api.example.com/'],
    ['*.example.com', 'https://shop.example.com/'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['https://api.example.com', 'https://api.example.com/'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
    ['[::1]:80', 'http://[::1]/'],
  ])('%s allows %s', (entry, url) => expect(allows(entry, url)).toBe(true))

  it.each([
    ['api.example.com', 'https://api.example.com.evil.test/'],
    ['api.example.com', 'https://evil-api.example.com/'],
    ['api.example.com', 'https://example.com/'],
    ['api.example.com', 'https://api.example.com:8443/'],
    ['api.example.com:80', 'https://api.example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://evilexample.com/'],
    ['https://api.example.com', 'http://api.example.com/'],
    ['*', 'https://example.com/'],
    ['example.com/path', 'https://example.com/path'],
    ['user@example.com', 'https://example.com/'],
  ])('%s does not allow %s', (entry, url) => expect(allows(entry, url)).toBe(false))
})
