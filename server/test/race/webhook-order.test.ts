// Order and durability across processes that die: real workers, killed at random moments. The seed is printed; sizes can be set.
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { Random } from '../harness/random.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, signature, toBytes } from '../harness/webhooks.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const requests = Number(process.env['WEBHOOK_ORDER_REQUESTS'] ?? 240)
const kills = Number(process.env['WEBHOOK_ORDER_KILLS'] ?? 4)
const workersCount = 3
/** A kill may cost the time in which a dead worker is noticed. */
const drainMsMax = 100_000 + requests * 150 + kills * 20_000
const keys = ['a', 'b', 'c', 'd']

/** Some requests fail the first time: order must hold across their retries. */
const script = `
  await sleep(5)
  if (webhook.body.failsFirst && !(await myVault.contains('tried' + webhook.body.n))) {
    await myVault.set('tried' + webhook.body.n, true)
    throw new Error('the first time')
  }
  return webhook.body.n`

function startRole(service: TestService, args: string[], more: Record<string, string> = {}): Program {
  return startProgram('main', args, {
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_PORT: '0',
    PATCHBAY_LOG_LEVEL: 'error',
    ...more,
  })
}

describe('webhooks while processes die', () => {
  it(
    `${requests} requests in order over ${workersCount} workers and ${kills} kills: none lost, none twice, none out of turn`,
    async () => {
      const random = new Random(
        process.env['WEBHOOK_ORDER_SEED'] ? Number(process.env['WEBHOOK_ORDER_SEED']) : undefined,
      )
      console.log(`seed ${random.seed}`)
      await using service = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'error' } })
      const strict = await deployWorkflow(service.manager, [script])
      const keyed = await deployWorkflow(service.manager, [script])
      const hooks = [
        await enableWebhook(service.manager, strict.id, { strictOrderProcessing: true, skipProcessingAfterErrors: 0 }),
        await enableWebhook(service.manager, keyed.id, { orderKey: 'key', skipProcessingAfterErrors: 0 }),
      ]
      const workers = Array.from({ length: workersCount }, () => startRole(service, ['worker']))
      const stopped: Promise<unknown>[] = []
      try {
        await Promise.all(workers.map((worker) => worker.saw(/worker is ready/)))
        const sending = Promise.all(
          hooks.map(async (hook) => {
            for (let n = 1; n <= requests / 2; n++) {
              const sent = await hook.send({ n, key: random.pick(keys), failsFirst: random.chance(0.02) })
              expect(sent.status, sent.text).toBe(200)
            }
          }),
        )
        for (let kill = 0; kill < kills; kill++) {
          await wait(500 + random.below(2000))
          const index = random.below(workersCount)
          workers[index]?.kill('SIGKILL')
          stopped.push(workers[index]?.ended ?? Promise.resolve())
          workers[index] = startRole(service, ['worker'])
        }
        await sending
        await eventually(async () => {
          // A retry waits half a minute by itself; what is proven here is its place in the order.
          await service.asOwner(`update webhook_queue set due_at = now() where status = 'Failed'`)
          await wait(200)
          const [left] = await service.asOwner('select count(*)::int as count from webhook_queue')
          return left?.['count'] === 0
        }, 200_000)
        await checkOrder(service, strict.id, () => 'all')
        await checkOrder(service, keyed.id, (body) => body.key)
      } finally {
        for (const worker of workers) worker.kill('SIGKILL')
        await Promise.all([...stopped, ...workers.map((worker) => worker.ended)])
      }
    },
    2 * drainMsMax,
  )

  it('a request that was answered with 200 is there after kill -9 of the process that took it', async () => {
    await using service = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'error' } })
    const workflow = await deployWorkflow(service.manager, ['return 1'])
    const hook = await enableWebhook(service.manager, workflow.id)
    const program = startRole(service, ['api'])
    const [, address] = await program.saw(/ready at (\S+) /)
    const answered: string[] = []
    let isKilled = false
    const send = async (n: number) => {
      const bytes = toBytes({ n })
      const response = await fetch(`${address}/webhook/${workflow.id}`, {
        method: 'POST',
        headers: { 'X-Patchbay-Signature': signature(hook.secret, bytes) },
        body: new Uint8Array(bytes),
      })
      const text = await response.text()
      if (response.status === 200) answered.push(JSON.parse(text).webhookId)
      if (answered.length >= 200 && !isKilled) {
        isKilled = true
        program.kill('SIGKILL')
      }
    }
    let n = 0
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        while (!isKilled) await send(n++).catch(() => {})
      }),
    )
    await program.ended
    const rows = await service.asOwner(
      'select count(*)::int as count from webhook_requests where id = any($1::uuid[])',
      [answered],
    )
    expect(answered.length).toBeGreaterThanOrEqual(200)
    expect(rows[0]?.['count']).toBe(answered.length)
    const queued = await service.asOwner(
      `select (select count(*) from webhook_queue where workflow_id = $1)::int as queued, (select count(*) from webhook_requests where workflow_id = $1)::int as stored`,
      [workflow.id],
    )
    expect(queued[0]?.['queued']).toBe(queued[0]?.['stored'])
  }, 60_000)
})

type Body = { n: number; key: string }

/** From what was recorded: every request once, in the order of its lane, and no two of a lane at the same time. */
async function checkOrder(service: TestService, workflowId: string, laneOf: (body: Body) => string): Promise<void> {
  const history = await service.asOwner('select webhook_id, status from webhook_history where workflow_id = $1', [
    workflowId,
  ])
  expect(history.length).toBe(requests / 2)
  expect(new Set(history.map((row) => row['status']))).toEqual(new Set(['Done']))
  const runs = (await service.asOwner(
    `select r.run_number, r.status, r.created_at, r.ended_at, r.webhook_ids[1] as webhook_id, b.result
     from runs r left join run_blocks b on b.run_id = r.id where r.workflow_id = $1 order by r.run_number`,
    [workflowId],
  )) as { run_number: number; status: string; created_at: Date; ended_at: Date; webhook_id: string; result: string }[]
  expect(runs.every((run) => run.status === 'Ready' || run.status === 'Error')).toBe(true)
  const done = runs.filter((run) => run.status === 'Ready')
  expect(new Set(done.map((run) => run.webhook_id)).size).toBe(requests / 2)
  expect(done.length).toBe(requests / 2)
  const lanes = new Map<string, typeof runs>()
  for (const run of runs) {
    const { body } = (await service.manager.get(`/api/GetWebhook/${run.webhook_id}`)) as {
      body: { webhookValue: Body }
    }
    const lane = laneOf(body.webhookValue)
    if (run.status === 'Ready') expect(JSON.parse(run.result)).toBe(body.webhookValue.n)
    lanes.set(lane, [...(lanes.get(lane) ?? []), run])
  }
  for (const inLane of lanes.values()) {
    const numbers = inLane.filter((run) => run.status === 'Ready').map((run) => Number(run.result))
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
    for (const [index, run] of inLane.entries()) {
      const before = inLane[index - 1]
      if (before) expect(run.created_at.getTime()).toBeGreaterThanOrEqual(before.ended_at.getTime())
    }
  }
}
