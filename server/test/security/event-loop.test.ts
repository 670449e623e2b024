// One event loop works for all accounts: whatever one of them sends, receives or returns, the others wait no longer than a moment.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loopDelayDuring, prepareRequest } from '../harness/loop-delay.ts'
import { useProxySample } from '../harness/proxy-sample.ts'
import { blockPath, blockResult, deployWorkflow, endOf, runToEnd, startRun } from '../harness/workflows.ts'

const sample = useProxySample()

/** A quiet machine takes less than 60 ms, one with twenty others at work several times that. In one go, these values take seconds. */
const delayMsMax = 400
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
    const ask = await prepareRequest(`${sample.service.baseUrl}/api/ApiSend/HTTP?newVersion=true`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify({ verb: 'GET', requestUrl: 'wide', ...more }),
    })
    const { result, maxMs } = await loopDelayDuring(ask)
    expect(result.status).toBe(200)
    expect(result.bytes).toBeGreaterThan(wide.length)
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

describe('results of scripts', () => {
  const run = async (blocks: string[]) => {
    const workflow = await deployWorkflow(sample.user, blocks)
    return {
      workflow,
      ...(await loopDelayDuring(async () => {
        const number = await startRun(sample.user, workflow.id)
        return endOf(sample.user, workflow.id, number)
      })),
    }
  }

  it('hundreds of thousands of empty objects go from block to block and into the record', async () => {
    const wideScript = 'return JSON.parse("[" + "{},".repeat(400000) + "{}]")'
    const { workflow, result, maxMs } = await run([wideScript, 'return Datasource[0].length'])
    expect(result.status).toBe('Ready')
    expect((await blockResult(sample.user, workflow, 2)).body.result).toBe(400_001)
    expect(maxMs).toBeLessThan(delayMsMax)
    const { service } = sample
    const resultUrl = `${service.baseUrl}${blockPath('GetBlockResult', workflow, 1)}`
    const read = await loopDelayDuring(await prepareRequest(resultUrl, { headers: headers() }))
    expect(read.result).toMatchObject({ status: 200 })
    expect(read.result.bytes).toBeGreaterThan(1_200_000)
    expect(read.maxMs).toBeLessThan(delayMsMax)
  })

  it('a session of very many values is refused with a sentence', async () => {
    const { result } = await run(['session.vars.list = Array(300000).fill(0); return 1'])
    expect(result).toMatchObject({
      status: 'Error',
      errorMessage: expect.stringContaining('session.vars holds more than 100000 values.'),
    })
  })

  it('large answers of targets reach scripts as they are', async () => {
    const id = await sample.register()
    const value = Array.from({ length: 40_000 }, (_, index) => ({ index, text: 'é' }))
    sample.target.answer = () => ({ json: value })
    const workflow = await deployWorkflow(
      sample.user,
      [
        `const all = await api.get('http/x'); const whole = await api.send('http', { verb: 'GET', requestUrl: 'y' }, true)
         return [all.length, all[39999].text, whole.statusCode, whole.data[7].index]`,
      ],
      { applications: { HTTP: id } },
    )
    expect((await runToEnd(sample.user, workflow.id)).status).toBe('Ready')
    expect((await blockResult(sample.user, workflow, 1)).body.result).toEqual([40_000, 'é', 200, 7])
  })

  it('a call with very many values is refused with a sentence that the script can catch', async () => {
    const { workflow, maxMs } = await run([
      `try { await api.post('http/x', Array(1500000).fill({})) } catch (error) { return error.message }`,
    ])
    expect((await blockResult(sample.user, workflow, 1)).body.result).toContain('more than 200000 values')
    expect(maxMs).toBeLessThan(delayMsMax)
  })
})

describe('documents that are imported', () => {
  it('megabytes of YAML are read aside', async () => {
    const paths = Array.from(
      { length: 900 },
      (_, index) =>
        `  /things/${index}:\n    get:\n      operationId: get${index}\n      summary: ${'long '.repeat(300)}\n      responses: {}\n`,
    )
    const text = `openapi: 3.0.3\ninfo: { title: Wide ${Date.now()}, version: '1' }\nservers: [{ url: https://wide.example.com }]\npaths:\n${paths.join('')}`
    const { service } = sample
    const importIt = await prepareRequest(`${service.baseUrl}/api/CatalogImport`, {
      method: 'POST',
      headers: {
        Consumer: service.manager.keys?.consumer ?? '',
        SecretKey: service.manager.keys?.secretKey ?? '',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ openApi: { document: text } }),
    })
    const { result, maxMs } = await loopDelayDuring(importIt)
    expect(text.length).toBeGreaterThan(1_000_000)
    expect(result.status).toBe(200)
    expect(maxMs).toBeLessThan(delayMsMax)
  })
})
