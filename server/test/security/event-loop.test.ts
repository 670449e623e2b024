// One event loop works for all accounts: whatever one of them sends, receives or returns, the others wait no longer than a moment.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { drain, loopDelayDuring } from '../harness/loop-delay.ts'
import { useProxySample } from '../harness/proxy-sample.ts'

const sample = useProxySample()

const delayMsMax = 100
const mib = 1024 * 1024
/** Eleven million empty objects. */
const wide = Buffer.from(`[${'{},'.repeat(11_000_000)}{}]`)
const packedWide = gzipSync(wide)

const headers = () => ({
  Consumer: sample.user.keys?.consumer ?? '',
  SecretKey: sample.user.keys?.secretKey ?? '',
  'content-type': 'application/json',
})

describe('answers of targets', () => {
  it.each([
    ['as it comes', {}],
    ['with its status', { responseType: 'Json' }],
    ['as text', { responseType: 'Text' }],
    ['as bytes', { responseType: 'Binary' }],
  ])('a few bytes that unpack to millions of values are handed on %s', async (_how, more) => {
    await sample.register()
    sample.target.answer = () => ({
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: packedWide,
    })
    const ask = () =>
      drain(`${sample.service.baseUrl}/api/ApiSend/HTTP?newVersion=true`, {
        method: 'POST',
        headers: headers(),
        body: JSON.stringify({ verb: 'GET', requestUrl: 'wide', ...more }),
      })
    await ask()
    const { result, maxMs } = await loopDelayDuring(async () => [await ask(), await ask()])
    expect(result.map(({ status }) => status)).toEqual([200, 200])
    expect(result[0]?.bytes).toBeGreaterThan(wide.length)
    expect(maxMs).toBeLessThan(delayMsMax)
  })

  it('are the same values as small ones would be', async () => {
    await sample.register()
    const value = { list: Array.from({ length: 30_000 }, (_, index) => ({ index, text: `é"${index}\n` })) }
    sample.target.answer = () => ({ json: value })
    expect((await sample.get('http/x')).body).toEqual(value)
    expect((await sample.send({ verb: 'GET', requestUrl: 'x' }, '?newVersion=true')).body).toMatchObject({
      statusCode: 200,
      data: value,
    })
    const text = `not JSON: ${'x"'.repeat(200_000)}`
    sample.target.answer = () => ({ body: text })
    expect((await sample.get('http/x')).body).toBe(text)
    expect((await sample.send({ verb: 'GET', requestUrl: 'x', responseType: 'Json' })).body).toMatchObject({
      code: 400,
      errorMessage: expect.stringContaining('is not JSON'),
    })
    expect((await sample.send({ verb: 'GET', requestUrl: 'x', responseType: 'Binary' })).body).toBe(
      Buffer.from(text).toString('base64'),
    )
  })

  it('a refusal with a million values is shown as text', async () => {
    await sample.register()
    sample.target.answer = () => ({ status: 400, body: wide.subarray(0, mib - 10) })
    const { result, maxMs } = await loopDelayDuring(() => sample.get('http/x'))
    expect(result.status).toBe(400)
    expect(maxMs).toBeLessThan(delayMsMax)
  })
})
