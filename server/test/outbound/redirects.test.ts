import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createClient, echo, failureOf, startHttp } from './peers.ts'

describe('redirects', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'data'],
    [308, 'POST', 'POST', 'data'],
    [301, 'PUT', 'PUT', 'data'],
    [302, 'DELETE', 'DELETE', 'data'],
  ])('%i turns %s into %s as browsers do', async (status, method, expected, body) => {
    await using peer = await startHttp((request, response) => {
      if (request.url === '/start') response.writeHead(status, { location: 'end?x=1#part' }).end()
      else void echo(request, response)
    })
    await using client = createClient({ allow: peer.host })
    const response = await client.send({
      method,
      url: `${peer.origin}/start`,
      body: 'data',
      headers: { 'content-type': 'text/plain', 'x-kept': 'yes' },
    })
    const seen = JSON.parse(response.body.toString())
    expect(seen).toMatchObject({ method: expected, url: '/end?x=1', body, headers: { 'x-kept': 'yes' } })
    expect(seen.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
  })

  it('end after five hops however the target loops', async () => {
    let requests = 0
    await using peer = await startHttp((_request, response) => {
      requests += 1
      response.writeHead(302, { location: `/${requests}` }).end()
    })
    await using client = createClient({ allow: peer.host })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin }))
    expect(failure.kind).toBe('tooManyRedirects')
    expect(requests).toBe(6)
    expect(peer.connections).toBeLessThanOrEqual(2)
  })

  it('can be left to the caller', async () => {
    await using peer = await startHttp((_request, response) =>
      response.writeHead(302, { location: '/next' }).end('see'),
    )
    await using client = createClient({ allow: peer.host })
    const response = await client.send({ method: 'GET', url: peer.origin, followRedirects: false })
    expect([response.status, response.headers['location'], response.body.toString()]).toEqual([302, '/next', 'see'])
  })

  it('without a Location are answers like any other', async () => {
    await using peer = await startHttp((_request, response) => response.writeHead(304).end())
    await using client = createClient({ allow: peer.host })
    expect((await client.send({ method: 'GET', url: peer.origin })).status).toBe(304)
  })

  it.each(['http://[', 'http://user:pass@127.0.0.1/', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:alert(1)'])(
    'to %s are refused',
    async (location) => {
      await using peer = await startHttp((_request, response) => response.writeHead(302, { location }).end())
      await using client = createClient({ allow: peer.host })
      expect((await failureOf(client.send({ method: 'GET', url: peer.origin }))).kind).toBe('redirectRefused')
    },
  )

  it('of an upload that cannot be sent again are refused', async () => {
    await using peer = await startHttp((request, response) => {
      request.resume().on('end', () => response.writeHead(307, { location: '/again' }).end())
    })
    await using client = createClient({ allow: peer.host })
    const body = Readable.from([Buffer.from('part')])
    expect((await failureOf(client.send({ method: 'PUT', url: peer.origin, body }))).kind).toBe('redirectRefused')
  })
})
