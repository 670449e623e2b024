// What a target sees of a write whose worker dies, and what people can find out about it afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

let api: TestService
let target: HttpTarget
beforeAll(async () => {
  api = await startService({ role: 'api' })
  target = await startHttpTarget()
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

async function startWorker(): Promise<Program> {
  const worker = startProgram('main', ['worker'], {
    PATCHBAY_DATABASE_URL: api.databaseUrl,
    PATCHBAY_DATA_DIR: api.dataDir,
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
    PATCHBAY_LOG_LEVEL: 'warn',
  })
  await worker.saw(/worker is ready/, 60_000)
  return worker
}

describe('a write whose worker dies before its block is recorded', () => {
  it('is sent again with the same key, other writes with others, and every sending can be read', async () => {
    const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
    const registered = await api.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })
    const workflow = await deployWorkflow(
      api.manager,
      [
        `await api.post('http/orders', { item: 'a' })
         await api.post('http/orders', { item: 'a' })
         await api.send('http', { verb: 'PUT', requestUrl: 'orders/1', data: { item: 'b' } })
         return 1`,
        "await api.post('http/orders', { item: 'a' }); return 2",
      ],
      { applications: { HTTP: registered.body } },
    )
    const reachedPut = Promise.withResolvers<void>()
    let holdsPut = true
    target.answer = ({ method }) => {
      if (method !== 'PUT' || !holdsPut) return { json: 1 }
      reachedPut.resolve()
      return undefined
    }
    const victim = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await reachedPut.promise
    victim.kill('SIGKILL')
    await victim.ended
    holdsPut = false
    const read = (no: number) =>
      api.manager.get(`/api/GetBlockCalls/${workflow.id}?uniqueBlockId=${workflow.blocks[no - 1]}`)
    const interrupted = (await read(1)).body.result
    expect(interrupted).toMatchObject([
      { method: 'POST', outcome: 'Unknown', attempt: 1 },
      { method: 'POST', outcome: 'Unknown', attempt: 1 },
      { method: 'PUT', outcome: 'Unknown', attempt: 1, url: 'HTTP/orders/1' },
    ])
    await api.asOwner(
      "update pgboss.job set heartbeat_on = now() - interval '1 hour' where name = 'runs' and state = 'active'",
    )
    await using _heir = await startWorker()
    expect(await endOf(api.manager, workflow.id, number, 40_000)).toMatchObject({ status: 'Ready' })

    const keys = target.received.map(({ headers }) => String(headers['idempotency-key']))
    const [first, second, put, ...later] = keys
    expect(later).toEqual([first, second, put, expect.any(String)])
    expect(new Set(keys).size).toBe(4)
    const { result } = (await read(1)).body
    expect(result.map((call: { outcome: string; attempt: number }) => [call.outcome, call.attempt > 1])).toEqual([
      ['Unknown', false],
      ['Unknown', false],
      ['Unknown', false],
      ['Answered', true],
      ['Answered', true],
      ['Answered', true],
    ])
    expect(result.map((call: { idempotencyKey: string }) => call.idempotencyKey)).toEqual(keys.slice(0, 6))
    expect((await read(2)).body.result).toMatchObject([{ outcome: 'Answered', idempotencyKey: keys[6] }])
  }, 120_000)
})
