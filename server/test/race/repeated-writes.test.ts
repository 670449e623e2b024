// What a target sees of a write whose worker dies, and what people can find out about it afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
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
  await worker.saw(/worker is ready/)
  return worker
}

async function register(): Promise<string> {
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  const made = await api.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })
  expect(made.status, made.text).toBe(200)
  return made.body
}

/** As if so much time had passed since the last sign of life. */
const forgetHeartbeats = () =>
  api.asOwner("update jobs set heartbeat_at = now() - interval '1 hour' where queue = 'runs' and state = 'active'")

describe('a write whose worker dies before its block is recorded', () => {
  it('is sent again with the same key, other writes with others, and every sending can be read', async () => {
    const workflow = await deployWorkflow(
      api.manager,
      [
        `await api.post('http/orders', { item: 'a' })
         await api.post('http/orders', { item: 'a' })
         await api.send('http', { verb: 'PUT', requestUrl: 'orders/1', data: { item: 'b' } })
         return 1`,
        "await api.post('http/orders', { item: 'a' }); return 2",
      ],
      { applications: { HTTP: await register() } },
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
    await forgetHeartbeats()
    await using _heir = await startWorker()
    expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })

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
  })
})

describe('a worker that hung while another took its run over', () => {
  it('sends nothing more that writes when it comes back', async () => {
    target.received.length = 0
    target.answer = () => ({ json: 1 })
    const script = `await api.post('http/first', 1)
      while (!myVault.contains("go")) await sleep(50)
      await api.post('http/second', 1)
      return 1`
    const workflow = await deployWorkflow(api.manager, [script], { applications: { HTTP: await register() } })
    await using sleeper = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    await eventually(() => target.received.length === 1)
    sleeper.kill('SIGSTOP')
    await api.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    await forgetHeartbeats()
    {
      await using _heir = await startWorker()
      expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
    }
    sleeper.kill('SIGCONT')
    // The sleeper is through with its script when it takes runs again.
    const witness = await deployWorkflow(api.manager, ['return 1'])
    for (let more = 1; more <= 5; more++) await endOf(api.manager, witness.id, await startRun(api.manager, witness.id))
    sleeper.kill('SIGTERM')
    expect(await sleeper.ended).toBe(0)
    expect(target.received.map(({ url }) => url)).toEqual(['/first', '/first', '/second'])
  })
})
