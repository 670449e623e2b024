/** Every spelling of this machine's own addresses, by every way a target can be named: no canary may feel a touch. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTcp, createGuard, type OutboundClient } from '../../src/outbound/index.ts'
import { createClient, failureOf, type Peer, startHttp, startTcp } from './peers.ts'

const canaries: Peer[] = []
let redirector: Peer
let client: OutboundClient
let port: number

const names: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'sub.localhost': ['127.0.0.1'],
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'both.test': ['::1', '127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'zero.test': ['0.0.0.0'],
  'wild.127.0.0.1.nip.test': ['127.0.0.1'],
  'empty.test': [],
}

beforeAll(async () => {
  canaries.push(await startTcp((socket) => socket.destroy()))
  port = canaries[0]!.port
  for (const address of ['::1', '127.0.0.2', '127.1.2.3', '127.255.255.254']) {
    // Not every system has the whole of 127/8, or IPv6; the spellings are tried all the same.
    const canary = await startTcp((socket) => socket.destroy(), address, port).catch(() => undefined)
    if (canary !== undefined) canaries.push(canary)
  }
  redirector = await startHttp((request, response) => {
    const query = new URL(request.url!, 'http://redirector').searchParams
    const [status, hops, to] = [query.get('status'), Number(query.get('hops')), query.get('to')]
    if (status === null || to === null) return void response.writeHead(404).end()
    const next = `/?${new URLSearchParams({ status, hops: String(hops - 1), to })}`
    response.writeHead(Number(status), { location: hops > 0 ? next : to }).end()
  })
  client = createClient({ allow: redirector.host, resolve: async (host) => names[host] ?? [], connectMs: 500 })
})

afterAll(async () => {
  await client[Symbol.asyncDispose]()
  for (const peer of [...canaries, redirector]) await peer[Symbol.asyncDispose]()
})

function spellHosts(octets: [number, number, number, number]): string[] {
  const [a, b, c, d] = octets
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const dotted = octets.join('.')
  const inDigits = (zero: number) => dotted.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  const circled = dotted.replaceAll(/\d/g, (digit) =>
    digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit)),
  )
  const hex = (value: number) => `0x${value.toString(16)}`
  const octal = (value: number) => `0${value.toString(8)}`
  return [
    dotted,
    `${dotted}.`,
    String(whole),
    `${whole}.`,
    hex(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    `0x0000${whole.toString(16)}`,
    octal(whole),
    octets.map(hex).join('.'),
    octets.map(octal).join('.'),
    octets.map((value) => `0000${value.toString(8)}`).join('.'),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${(b * 256 + c) * 256 + d}`,
    `${octal(a)}.${hex((b * 256 + c) * 256 + d)}`,
    circled,
    inDigits(0xff10),
    inDigits(0x1d7ce),
    dotted.replaceAll('.', '。'),
    dotted.replaceAll('.', '．'),
    dotted.replaceAll('.', '｡'),
    [...dotted].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
    `[::ffff:${dotted}]`,
    `[::FFFF:${dotted}]`,
    `[0:0:0:0:0:ffff:${dotted}]`,
    `[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
    `someone@${dotted}`,
    `someone:secret@${dotted}`,
    `example.com%2f@${dotted}`,
  ]
}

function spellings(): string[] {
  const hosts = [
    ...spellHosts([127, 0, 0, 1]),
    ...spellHosts([127, 0, 0, 2]),
    ...spellHosts([127, 1, 2, 3]),
    ...spellHosts([127, 255, 255, 254]),
    ...['127.1', '127.0.1', '0177.1', '0x7f.1', '0', '0.0.0.0', '0x0', '00', '0.0', '[::]', '[0::0]', '[::0.0.0.0]'],
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[0::1]', '[::0.0.0.1]'],
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'LocalHost.',
      'ｌｏｃａｌｈｏｓｔ',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      '%6cocalhost',
      'local\thost',
      'localhost..',
    ],
    ...Object.keys(names),
    ...Object.keys(names).map((name) => `${name}.`),
    'never-registered.test',
    '127.0.0.1..',
    '[::1%25lo]',
    '[::ffff:127.0.0.1%25lo]',
  ]
  return [
    ...hosts.map((host) => `http://${host}:${port}/`),
    ...['127.0.0.1', '[::1]', 'localhost'].flatMap((host) => [
      `https://${host}:${port}/`,
      `http:${host}:${port}/`,
      `http:/${host}:${port}/`,
      `http:\\\\${host}:${port}\\`,
      `http:////${host}:${port}/`,
      ` \thttp://${host}:${port}/`,
      `hTTp://${host}:0${port}/`,
      `ht\ntp://${host}:${port}/`,
      `ftp://${host}:${port}/`,
      `ws://${host}:${port}/`,
      `gopher://${host}:${port}/`,
    ]),
  ]
}

/** Header values are bytes, so a Location spells other characters by percent signs, which parsers undo. */
const asLocation = (url: string) => url.replaceAll(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char))

const refusals: (string | number)[] = ['refusedByGuard', 'invalidRequest', 'redirectRefused']
const touches = () => canaries.reduce((sum, canary) => sum + canary.connections, 0)

describe('canaries on this machine', () => {
  it('feel nothing from any direct spelling', async () => {
    const urls = spellings()
    expect(urls.length).toBeGreaterThan(150)
    for (const url of urls) {
      const failure = await failureOf(client.send({ method: 'GET', url, timeoutMs: 60_000 }))
      expect([url, refusals.includes(failure.kind)]).toEqual([url, true])
    }
    expect(touches()).toBe(0)
  })

  it.each([301, 302, 303, 307, 308])('feel nothing from a redirect or a chain with status %i', async (status) => {
    for (const url of spellings()) {
      const query = new URLSearchParams({ status: String(status), hops: String(url.length % 4), to: asLocation(url) })
      const request = { method: 'POST', body: 'x', url: `${redirector.origin}/?${query}`, timeoutMs: 60_000 }
      // Beside an http address `http:host` is a relative path, which the redirector itself does not know.
      const outcome = await client.send(request).then(
        (response) => response.status,
        (error) => error.kind,
      )
      expect([url, [...refusals, 404].includes(outcome)]).toEqual([url, true])
    }
    expect(touches()).toBe(0)
  })

  it('feel nothing when a mail host leads to them', async () => {
    const guard = createGuard({ allow: [], resolve: async (host) => names[host] ?? [] })
    const hosts = [...spellHosts([127, 0, 0, 1]), '::1', '[::1]', '0', '127.1', ...Object.keys(names)]
    for (const host of hosts) {
      const failure = await failureOf(connectTcp(guard, host, port, { timeoutMs: 60_000 }))
      expect([host, refusals.includes(failure.kind)]).toEqual([host, true])
    }
    expect(touches()).toBe(0)
  })

  it('would feel a connection that is allowed', async () => {
    await using allowed = createClient({ allow: `127.0.0.1:${port}` })
    const failure = await failureOf(allowed.send({ method: 'POST', url: `http://127.0.0.1:${port}/` }))
    expect(failure.kind).toBe('badResponse')
    expect(touches()).toBe(1)
  })
})

describe('a name that changes its answers', () => {
  it('is judged anew for each connection, and the connection goes to the judged answer', async () => {
    await using open = await startHttp((_request, response) => {
      response.setHeader('connection', 'close').end('open')
    })
    await using closed = await startTcp((socket) => socket.destroy(), '::1', open.port)
    const answers = [['127.0.0.1'], ['::1'], ['127.0.0.1', '::1'], ['::1', '127.0.0.1'], []]
    let asked = 0
    const resolve = async () => answers[asked++] ?? []
    await using rebinding = createClient({ allow: open.host, resolve })
    const url = `http://rebinding.test:${open.port}/`

    expect((await rebinding.send({ method: 'GET', url })).body.toString()).toBe('open')
    expect(asked).toBe(1)
    for (const _ of answers.slice(1)) {
      expect((await failureOf(rebinding.send({ method: 'GET', url }))).kind).toBe('refusedByGuard')
    }
    expect(asked).toBe(answers.length)
    expect([open.connections, closed.connections]).toEqual([1, 0])
  })

  it('reaches the one of several open answers that listens', async () => {
    await using open = await startHttp((_request, response) => response.end('open'))
    await using several = createClient({
      allow: `127.0.0.1:${open.port},[::1]:${open.port}`,
      resolve: async () => ['::1', '127.0.0.1'],
    })
    expect((await several.send({ method: 'GET', url: `http://several.test:${open.port}/` })).status).toBe(200)
  })

  it('has the same words for a closed, an unreachable and an unresolvable target', async () => {
    await using nobody = await startTcp(() => {})
    const url = `http://127.0.0.1:${nobody.port}/`
    await nobody[Symbol.asyncDispose]()
    await using strict = createClient()
    await using open = createClient({ allow: '127.0.0.1' })
    const blocked = await failureOf(strict.send({ method: 'GET', url }))
    const unreachable = await failureOf(open.send({ method: 'GET', url }))
    expect([blocked.kind, unreachable.kind]).toEqual(['refusedByGuard', 'unreachable'])
    expect(blocked.message).toBe(unreachable.message)

    await using failing = createClient({ resolve: () => Promise.reject(new Error('no such name')) })
    const unresolved = await failureOf(failing.send({ method: 'GET', url: 'http://gone.test/' }))
    const refused = await failureOf(strict.send({ method: 'GET', url: 'http://gone.test/' }))
    expect([unresolved.kind, refused.kind]).toEqual(['unreachable', 'refusedByGuard'])
    expect(unresolved.message).toBe(refused.message)
  })
})
