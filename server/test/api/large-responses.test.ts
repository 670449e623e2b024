// What a script receives may be of any size: its block runs once, whatever was received, and the run can be replayed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import { replayToEnd } from '../harness/replays.ts'
import type { TestService } from '../harness/service.ts'
import { blockPath, deployWorkflow, runToEnd } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const KIB = 1024
const MIB = 1024 * KIB

const sizes = [1, 64 * KIB, 256 * KIB, 256 * KIB + 1, 500_000, MIB, 6 * MIB]
const kinds = ['text', 'json', 'binary'] as const

/** Exactly so many bytes. */
function bodyOf(kind: string, size: number): Buffer {
  if (kind === 'binary') return Buffer.alloc(size, Buffer.from([0, 255, 128, 34]))
  if (kind === 'text') return Buffer.alloc(size, 'text \u00e9 ')
  return size === 1 ? Buffer.from('7') : Buffer.from(`"${'x'.repeat(size - 2)}"`)
}

const contentTypes = { text: 'text/plain; charset=utf-8', json: 'application/json', binary: 'application/octet-stream' }

describe('a response of any size', () => {
  let service: TestService
  let target: HttpTarget
  let registered: string

  beforeAll(async () => {
    service = await joinService()
    target = await startHttpTarget(({ method, url }) => {
      if (method === 'POST' && !url.startsWith('/answers/')) return { json: 1 }
      const [kind, size] = url.split('/').slice(-2) as [keyof typeof contentTypes, string]
      return { headers: { 'content-type': contentTypes[kind] }, body: bodyOf(kind, Number(size)) }
    })
    const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
    registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const deploy = (script: string, more: object = {}) =>
    deployWorkflow(service.manager, [script], { applications: { HTTP: registered }, ...more })

  it.each(kinds.flatMap((kind) => sizes.map((size) => [kind, size] as const)))(
    'of %s and %i bytes makes its block run once',
    async (kind, size) => {
      target.received.length = 0
      const responseType = { text: 'Text', json: 'Json', binary: 'Binary' }[kind]
      const workflow = await deploy(
        `const got = await api.send('http', { requestUrl: 'answers/${kind}/${size}', responseType: '${responseType}' })
         await api.post('http/orders', { bytes: ${size} })
         myVault.set('count', (myVault.get('count') ?? 0) + 1)
         await email.send({ to: ['someone@example.com'], subject: '${kind} ${size}', body: 'x' })
         return String(got).length`,
      )
      const run = await runToEnd(service.manager, workflow.id)
      expect(run).toMatchObject({ status: 'Ready' })
      expect(target.received.map(({ method }) => method)).toEqual(['GET', 'POST'])
      expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/count`)).body).toBe(1)
      const mails = await service.manager.post('/api/GetOutbox', { page: 0, size: 100 })
      const subjects = mails.body.items.map((mail: { subject: string }) => mail.subject)
      expect(subjects.filter((subject: string) => subject === `${kind} ${size}`)).toHaveLength(1)
      const calls = await service.manager.get(blockPath('GetBlockCalls', workflow, 1))
      expect(calls.body.result.map((call: { attempt: number }) => call.attempt)).toEqual([1, 1])
      const result = await service.manager.get(blockPath('GetBlockResult', workflow, 1))
      const body = bodyOf(kind, size)
      const got = {
        text: body.toString(),
        json: kind === 'json' && JSON.parse(body.toString()),
        binary: body.toString('base64'),
      }
      expect(result.body.result).toBe(String(got[kind]).length)
    },
  )

  it('can be replayed', async () => {
    const script = `return [await api.get('http/answers/json/500000'), await api.get('http/answers/text/300000')].map((one) => one.length)`
    const workflow = await deploy(script)
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    target.received.length = 0
    const replay = await replayToEnd(service.manager, workflow.id, {})
    expect(replay).toMatchObject({ runs: [{ runNumber: 1, outcome: 'same' }] })
    expect(target.received).toEqual([])
  })

  it('as the answer to a write does not send it again', async () => {
    target.received.length = 0
    const workflow = await deploy(
      `const [first] = await Promise.all(['json', 'text', 'binary'].map((kind) =>
         api.send('http', { verb: 'POST', requestUrl: 'answers/' + kind + '/700000', responseType: 'Binary', data: { kind } })))
       return first`,
      { recordCallBodies: true },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect(target.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST'])
    expect(new Set(target.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(3)
  })
})
