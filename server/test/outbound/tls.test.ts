import { describe, expect, it } from 'vitest'
import { createClient, echo, failureOf, startHttp, startHttps, startTcp } from './peers.ts'
import { createSelfSigned } from './self-signed.ts'

const certificate = createSelfSigned()

describe('https targets', () => {
  it('are checked against their certificate by name and by address', async () => {
    await using peer = await startHttps(certificate, echo)
    await using client = createClient({
      allow: peer.host,
      resolve: async () => ['127.0.0.1'],
      certificateAuthorities: [certificate.cert],
    })
    expect((await client.send({ method: 'GET', url: peer.origin })).status).toBe(200)
    const byName = await client.send({ method: 'GET', url: `https://secure.test:${peer.port}/` })
    expect(JSON.parse(byName.body.toString()).headers.host).toBe(`secure.test:${peer.port}`)

    const failure = await failureOf(client.send({ method: 'GET', url: `https://other.test:${peer.port}/` }))
    expect(failure.kind).toBe('insecure')
    expect(failure.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('with an unknown issuer get no request', async () => {
    let requests = 0
    await using peer = await startHttps(certificate, (_request, response) => {
      requests += 1
      response.end()
    })
    await using client = createClient({ allow: peer.host })
    expect((await failureOf(client.send({ method: 'GET', url: peer.origin }))).kind).toBe('insecure')
    expect(requests).toBe(0)
  })

  it('that never finish the handshake are given up after the connect limit', async () => {
    await using peer = await startTcp(() => {})
    await using client = createClient({ allow: peer.host, connectMs: 100 })
    const failure = await failureOf(client.send({ method: 'GET', url: `https://${peer.host}/` }))
    expect(failure.kind).toBe('unreachable')
  })

  it('cannot send us on to plain http', async () => {
    await using plain = await startHttp(echo)
    await using peer = await startHttps(certificate, (_request, response) => {
      response.writeHead(302, { location: `${plain.origin}/` }).end()
    })
    await using client = createClient({
      allow: `${peer.host},${plain.host}`,
      certificateAuthorities: [certificate.cert],
    })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin }))
    expect(failure.kind).toBe('redirectRefused')
    expect(plain.connections).toBe(0)
  })
})
