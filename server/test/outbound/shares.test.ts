// One account's calls, however slow their targets and however large their answers, take its own share of places and bytes.
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createClient, failureOf, startHttp } from './peers.ts'

const greedy = { organizationId: 'x', accountId: 'greedy' }
const colleague = { organizationId: 'x', accountId: 'colleague' }
const honest = { organizationId: 'y', accountId: 'honest' }
const MiB = 1024 * 1024

it('calls to a target that never answers wait for each other, and others call the same target', async () => {
  const asked: Record<string, number> = {}
  await using peer = await startHttp((request, response) => {
    const path = request.url ?? ''
    asked[path] = (asked[path] ?? 0) + 1
    if (path === '/fast') response.end('here')
  })
  await using client = createClient({ allow: peer.host })
  const stop = new AbortController()
  const slow = (path: string, owner: typeof greedy) =>
    failureOf(client.send({ method: 'GET', url: `${peer.origin}${path}`, owner, signal: stop.signal }))
  const ends = Array.from({ length: 1000 }, () => slow('/greedy', greedy))
  await expect.poll(() => asked['/greedy']).toBe(128)
  for (let index = 0; index < 1000; index++) ends.push(slow('/colleague', colleague))
  await expect.poll(() => asked['/colleague']).toBe(128)
  for (const owner of [honest, { organizationId: 'x', accountId: 'third' }]) {
    const answer = await client.send({ method: 'GET', url: `${peer.origin}/fast`, owner })
    expect(answer.body.toString()).toBe('here')
  }
  expect(asked).toEqual({ '/greedy': 128, '/colleague': 128, '/fast': 2 })
  stop.abort()
  expect(new Set((await Promise.all(ends)).map(({ kind }) => kind))).toEqual(new Set(['cancelled']))
  // Every place was given back.
  const again = Array.from({ length: 300 }, () =>
    client.send({ method: 'GET', url: `${peer.origin}/fast`, owner: greedy }),
  )
  expect((await Promise.all(again)).length).toBe(300)
})

it('a call that waits for its account alone ends with a sentence that says so', async () => {
  await using peer = await startHttp(() => {})
  await using client = createClient({ allow: peer.host })
  const stop = new AbortController()
  const request = { method: 'GET', url: peer.origin, owner: greedy }
  const ends = Array.from({ length: 128 }, () => failureOf(client.send({ ...request, signal: stop.signal })))
  const failure = await failureOf(client.send({ ...request, timeoutMs: 20 }))
  expect([failure.kind, failure.message]).toEqual([
    'crowded',
    expect.stringContaining('too many calls of this account'),
  ])
  stop.abort()
  await Promise.all(ends)
})

it('large answers come in as far as the share of their account reaches, the others wait at their target', async () => {
  const flushed: ServerResponse[] = []
  await using peer = await startHttp((request, response) => {
    // Without a length it may become the 32 MiB that any answer may have. What a socket holds of it is a few MiB.
    if (request.url === '/fast') response.end(Buffer.alloc(2 * MiB))
    else response.write(Buffer.alloc(24 * MiB), () => flushed.push(response))
  })
  await using client = createClient({ allow: peer.host })
  const large = () => client.send({ method: 'GET', url: peer.origin, owner: greedy })
  const answers = Array.from({ length: 10 }, large)
  await expect.poll(() => flushed.length).toBe(6)
  const fast = await client.send({ method: 'GET', url: `${peer.origin}/fast`, owner: honest })
  expect([fast.body.length, flushed.length]).toEqual([2 * MiB, 6])
  for (let ended = 0; ended < 10; ended++) {
    await expect.poll(() => flushed.length).toBeGreaterThan(ended)
    flushed[ended]?.end()
  }
  const lengths = (await Promise.all(answers)).map(({ body }) => body.length)
  expect(lengths).toEqual(Array.from({ length: 10 }, () => 24 * MiB))
})

it('an answer counts for as long as its caller keeps it, also one that came packed', async () => {
  const packed = gzipSync(Buffer.alloc(30 * MiB))
  await using peer = await startHttp((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  })
  await using client = createClient({ allow: peer.host })
  const releases: (() => void)[] = []
  const request = {
    method: 'GET',
    url: peer.origin,
    owner: greedy,
    onHeld: (release: () => void) => releases.push(release),
  }
  // 30 MiB each: six fit into the share, and the seventh would too, were it not for those that are kept.
  for (let index = 0; index < 6; index++) expect((await client.send(request)).body.length).toBe(30 * MiB)
  expect((await failureOf(client.send({ ...request, timeoutMs: 3_000 }))).kind).toBe('crowded')
  releases.shift()?.()
  expect((await client.send(request)).body.length).toBe(30 * MiB)
})
