// Order and durability across processes that die: real workers, killed at random moments. The seed is printed; sizes can be set.
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startOwnDatabase } from '../harness/own-database.ts'
import { startProgram } from '../harness/program.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, type SampleWebhook, signature, toBytes } from '../harness/webhooks.ts'
import { startCrew } from '../harness/worker-crew.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const requests = proofSize('ORDERED_WEBHOOKS', { small: 160, large: 10_000 })
const kills = proofSize('WEBHOOK_KILLS', { small: 3, large: 60 })
const databaseKills = proofSize('WEBHOOK_DATABASE_KILLS', { small: 1, large: 6 })
const workersCount = 3
/** A kill may cost the time in which a dead worker is noticed. */
const drainMsMax = 200_000 + requests * 100 + (kills + databaseKills) * 20_000
const keys = ['a', 'b', 'c', 'd']

/** Some requests fail the first time: order must hold across their retries. */
const script = `
  await sleep(5)
  if (webhook.body.failsFirst && !(await myVault.contains('tried' + webhook.body.n))) {
    await myVault.set('tried' + webhook.body.n, true)
    throw new Error('the first time')
  }
  return webhook.body.n`

describe('webhooks while processes die', () => {
  it(
    `${requests} requests in order over ${workersCount} workers, ${kills} kills of them and ${databaseKills} of the database: none lost, none twice, none out of turn`,
    async () => {
      const random = proofRandom()
      const startedAt = performance.now()
      await using database = await startOwnDatabase()
      const { postgres } = database
      await using service = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' }, postgres })
      const strict = await deployWorkflow(service.manager, [script])
      const keyed = await deployWorkflow(service.manager, [script])
      const hooks = [
        await enableWebhook(service.manager, strict.id, { strictOrderProcessing: true, skipProcessingAfterErrors: 0 }),
        await enableWebhook(service.manager, keyed.id, { orderKey: 'key', skipProcessingAfterErrors: 0 }),
      ]
      await using crew = await startCrew(service, workersCount)
      const sending = Promise.all(
        hooks.map(async (hook) => {
          for (let n = 1; n <= requests / 2; n++)
            await sendUntilTaken(hook, { n, key: random.pick(keys), failsFirst: random.chance(0.02) })
        }),
      )
      // Heard below, when the kills are done.
      sending.catch(() => {})
      const victims = random.shuffle([
        ...Array.from({ length: kills }, () => 'worker'),
        ...Array.from({ length: databaseKills }, () => 'database'),
      ])
      for (const victim of victims) {
        await wait(200 + random.below(1000))
        if (victim === 'database') await database.kill(random)
        else await crew.killOne(random)
      }
      await sending
      await eventually(async () => {
        // A retry waits half a minute by itself; what is proven here is its place in the order.
        await service.asOwner(`update webhook_queue set due_at = now() where status = 'Failed'`)
        await wait(200)
        const [left] = await service.asOwner('select count(*)::int as count from webhook_queue')
        return left?.['count'] === 0
      }, drainMsMax)
      const counts = [await count(service, strict.id, () => 'all'), await count(service, keyed.id, (body) => body.key)]
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      console.log(
        `${seconds} s, in one order ${JSON.stringify(counts[0])}, by key ${JSON.stringify(counts[1])}, ended by themselves ${JSON.stringify(crew.endedByThemselves)}`,
      )
      for (const counted of counts)
        expect(counted).toMatchObject({ done: requests / 2, lost: 0, twice: 0, outOfOrder: 0, atTheSameTime: 0 })
    },
    3 * drainMsMax,
  )

  it('a request that was answered with 200 is there after kill -9 of the process that took it', async () => {
    await using service = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'error' } })
    const workflow = await deployWorkflow(service.manager, ['return 1'])
    const hook = await enableWebhook(service.manager, workflow.id)
    const program = startProgram('main', ['api'], {
      PATCHBAY_DATABASE_URL: service.databaseUrl,
      PATCHBAY_DATA_DIR: service.dataDir,
      PATCHBAY_PORT: '0',
      PATCHBAY_LOG_LEVEL: 'error',
    })
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
  })
})

type Body = { n: number; key: string; failsFirst: boolean }

/** As a sender does it: what was not answered with 200 is sent again, under the same id. */
async function sendUntilTaken(hook: SampleWebhook, body: Body): Promise<void> {
  const headers = { 'Idempotency-Key': `delivery ${body.n}` }
  const deadline = performance.now() + 300_000
  for (;;) {
    const answer = await hook.send(body, headers)
    if (answer.status === 200) return
    expect([429, 503], answer.text).toContain(answer.status)
    if (performance.now() > deadline) throw new Error(`Not taken in time: ${answer.text}`)
    await wait(100)
  }
}

/** From what was recorded: every request once, in the order of its lane, and no two of a lane at the same time. */
async function count(service: TestService, workflowId: string, laneOf: (body: Body) => string) {
  const history = await service.asOwner('select status from webhook_history where workflow_id = $1', [workflowId])
  const runs = (await service.asOwner(
    `select r.run_number, r.status, r.created_at, r.ended_at, r.webhook_ids[1] as webhook_id, b.result
     from runs r left join run_blocks b on b.run_id = r.id where r.workflow_id = $1 order by r.run_number`,
    [workflowId],
  )) as { run_number: number; status: string; created_at: Date; ended_at: Date; webhook_id: string; result: string }[]
  expect(runs.every((run) => run.status === 'Ready' || run.status === 'Error')).toBe(true)
  const ready = runs.filter((run) => run.status === 'Ready')
  const lanes = new Map<string, typeof runs>()
  const bodies = new Map<string, Body>()
  for (const run of runs) {
    const body = bodies.get(run.webhook_id) ?? (await readBody(service, run.webhook_id))
    bodies.set(run.webhook_id, body)
    if (run.status === 'Ready') expect(JSON.parse(run.result)).toBe(body.n)
    lanes.set(laneOf(body), [...(lanes.get(laneOf(body)) ?? []), run])
  }
  const pairs = [...lanes.values()].flatMap((inLane) =>
    inLane.slice(1).map((run, index) => [inLane[index]!, run] as const),
  )
  const readyPairs = [...lanes.values()].flatMap((inLane) => {
    const numbers = inLane.filter((run) => run.status === 'Ready').map((run) => Number(run.result))
    return numbers.slice(1).map((number, index) => [numbers[index] as number, number] as const)
  })
  const taken = new Set(ready.map((run) => run.webhook_id)).size
  return {
    done: history.filter((row) => row['status'] === 'Done').length,
    lost: requests / 2 - taken,
    twice: ready.length - taken,
    outOfOrder: readyPairs.filter(([before, after]) => before >= after).length,
    atTheSameTime: pairs.filter(([before, after]) => after.created_at < before.ended_at).length,
    failedRuns: runs.length - ready.length,
  }
}

async function readBody(service: TestService, webhookId: string): Promise<Body> {
  return (await service.manager.get(`/api/GetWebhook/${webhookId}`)).body.webhookValue
}
