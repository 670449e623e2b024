/** Waiting for the target's sake: Retry-After and declared rates. Time is moved by the tests, nobody sleeps. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRetryAfterMs } from '../../src/outbound/answer/retry-after.ts'
import { createMemoryRateLimiter } from '../../src/outbound/rate-limit.ts'
import { createClient, failureOf, startHttp } from './peers.ts'

/** Answers these statuses in turn, each with the Retry-After given, and 200 afterwards. */
function startBusy(answers: [number, string?][]) {
  let requests = 0
  return startHttp((request, response) => {
    const [status, retryAfter] = answers[requests++] ?? [200]
    request.resume()
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(String(requests))
  })
}

describe('Retry-After', () => {
  it('is waited for and reported as a pause, with the body sent again', async () => {
    await using peer = await startBusy([
      [429, '20'],
      [503, '7'],
    ])
    const waits: number[] = []
    const pauses: number[] = []
    await using client = createClient({ allow: peer.host, wait: async (ms) => void waits.push(ms) })
    const response = await client.send({
      method: 'POST',
      url: peer.origin,
      body: 'x',
      onPause: (ms) => pauses.push(ms),
    })
    expect(response).toMatchObject({ status: 200, retries: 2, pausedMs: 27_000 })
    expect(waits).toEqual([20_000, 7_000])
    expect(pauses).toEqual(waits)
  })

  it('is waited for no longer than a minute in all', async () => {
    await using peer = await startBusy([
      [429, '40'],
      [429, '30'],
    ])
    await using client = createClient({ allow: peer.host, wait: async () => {} })
    const response = await client.send({ method: 'GET', url: peer.origin })
    expect(response).toMatchObject({ status: 429, retries: 1, pausedMs: 40_000 })
    expect(response.headers['retry-after']).toBe('30')
  })

  it('that says now for ever is obeyed a few times only', async () => {
    await using peer = await startBusy(Array.from({ length: 50 }, () => [503, '0']))
    await using client = createClient({ allow: peer.host, wait: async () => {} })
    expect(await client.send({ method: 'GET', url: peer.origin })).toMatchObject({ status: 503, retries: 5 })
  })

  it.each([[429], [500, '1'], [503, 'soon'], [429, '-5']] as [number, string?][])(
    'is not imagined: %s %s is an answer',
    async (...answer) => {
      await using peer = await startBusy([answer])
      await using client = createClient({ allow: peer.host, wait: () => Promise.reject(new Error('waited')) })
      expect(await client.send({ method: 'GET', url: peer.origin })).toMatchObject({ status: answer[0], retries: 0 })
    },
  )

  it('is given up when the caller gives up', async () => {
    await using peer = await startBusy([[429, '1']])
    const stop = new AbortController()
    let release = () => {}
    const wait = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        release = resolve
        signal.addEventListener('abort', () => reject(signal.reason))
        stop.abort()
      })
    await using client = createClient({ allow: peer.host, wait })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin, signal: stop.signal }))
    release()
    expect(failure).toMatchObject({ kind: 'cancelled', pausedMs: 1_000 })
  })

  it('is read as seconds or as a date by the clock of the target', () => {
    const nowMs = Date.parse('2026-01-01T00:00:00Z')
    const read = (value: string | undefined, date?: string) => readRetryAfterMs(value, date, nowMs)
    expect(read('3')).toBe(3_000)
    expect(read(' 3 ')).toBe(3_000)
    expect(read('Thu, 01 Jan 2026 00:00:10 GMT')).toBe(10_000)
    expect(read('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0)
    expect(read('Thu, 01 Jan 2026 05:00:10 GMT', 'Thu, 01 Jan 2026 05:00:00 GMT')).toBe(10_000)
    for (const unreadable of [undefined, '', 'soon', '-1', '1.5', 'Thursday', '1e3']) {
      expect(read(unreadable)).toBeUndefined()
    }
  })
})

describe('a declared rate', () => {
  it('makes calls wait and refuses those that would wait too long', async () => {
    await using peer = await startBusy([])
    const waits: number[] = []
    await using client = createClient({
      allow: peer.host,
      wait: async (ms) => void waits.push(ms),
      rateLimiter: createMemoryRateLimiter(() => 0),
    })
    const rateLimit = { key: 'app', requests: 2, perMs: 50_000 }
    const send = () => client.send({ method: 'GET', url: peer.origin, rateLimit })
    for (let call = 0; call < 4; call += 1) expect((await send()).status).toBe(200)
    expect(waits).toEqual([50_000, 50_000])
    expect((await failureOf(send())).kind).toBe('rateLimited')
  })

  it('is never exceeded in any window, and is used up fully', async () => {
    const gap = fc.integer({ min: 0, max: 50 })
    const limits = fc.record({ requests: fc.integer({ min: 1, max: 6 }), perMs: fc.integer({ min: 1, max: 200 }) })
    await fc.assert(
      fc.asyncProperty(limits, fc.array(gap, { maxLength: 60 }), async (limit, gaps) => {
        let nowMs = 0
        const limiter = createMemoryRateLimiter(() => nowMs)
        const starts: number[] = []
        for (const gapMs of gaps) {
          nowMs += gapMs
          const waitMs = await limiter.acquire('app', limit, Number.POSITIVE_INFINITY)
          const startMs = nowMs + waitMs!
          const before = starts.at(-limit.requests)
          const earliest = Math.max(nowMs, starts.at(-1) ?? 0, before === undefined ? 0 : before + limit.perMs)
          expect(startMs).toBe(earliest)
          starts.push(startMs)
        }
      }),
    )
  })

  it('reserves nothing for those who give up and keeps keys apart', async () => {
    const limiter = createMemoryRateLimiter(() => 0)
    const limit = { requests: 1, perMs: 1_000 }
    expect(await limiter.acquire('a', limit, 0)).toBe(0)
    for (let call = 0; call < 10; call += 1) expect(await limiter.acquire('a', limit, 999)).toBeUndefined()
    expect(await limiter.acquire('a', limit, 1_000)).toBe(1_000)
    expect(await limiter.acquire('b', limit, 0)).toBe(0)
  })

  it('of millions needs no memory of millions', async () => {
    const limiter = createMemoryRateLimiter(() => 0)
    const limit = { requests: 1e9, perMs: 1e9 }
    const waits = []
    for (let call = 0; call < 2_500; call += 1) waits.push(await limiter.acquire('a', limit, 1e9))
    expect([waits[999], waits[1_000], waits[2_499]]).toEqual([0, 1_000, 2_000])
  })
})
