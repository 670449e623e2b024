// Draining a webhook queue beside 95,000 requests of the same account that wait, against the same without them: two services take turns, so that
// what else the machine does falls on both.
import { createClient } from '@patchbay/sdk'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'
import { drainPerSecond, holdQueue } from './webhooks.ts'

const waiting = 95_000
const drained = 2000
const rounds = 6

export async function benchLongQueue(): Promise<Row[]> {
  using emptyDir = newDataDir()
  using longDir = newDataDir()
  await using empty = await startBenchService(emptyDir.path)
  await using long = await startBenchService(longDir.path)
  const [one, other] = [empty, long].map(({ baseUrl, keys }) =>
    createClient({ baseUrl, keys: { consumer: keys.Consumer, secretKey: keys.SecretKey } }),
  ) as [ReturnType<typeof createClient>, ReturnType<typeof createClient>]
  await holdQueue(other, 1)
  await multiply(longDir.path)
  // Both warm.
  for (const client of [one, other]) await drainPerSecond(client, drained)
  const without: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    without.push(await drainPerSecond(one, drained))
    beside.push(await drainPerSecond(other, drained))
  }
  const share = medianOf(beside.map((rate, round) => rate / (without[round] as number)))
  const listed = (rates: readonly number[]) => rates.map((rate) => rate.toFixed(0)).join(' ')
  return [
    {
      what: `draining beside a queue of ${waiting}, share of draining without it`,
      measured: `${share.toFixed(2)} (${listed(beside)} against ${listed(without)} a second)`,
      wanted: 'at least 0.9',
      isMet: share >= 0.9,
    },
  ]
}

/** The one request that waits becomes many. Their content cannot be opened, and nobody does: the queue is held. */
async function multiply(dataDir: string): Promise<void> {
  const owner = await connectOwner(dataDir)
  try {
    await owner.query(
      `with made as materialized (
         select q.*, (left(q.webhook_id::text, 14) || right(gen_random_uuid()::text, 22))::uuid as new_id, n from webhook_queue q, generate_series(1, $1::integer) n
       ), stored as (
         insert into webhook_requests (id, account_id, workflow_id, created_at, sealed_request)
         select m.new_id, r.account_id, r.workflow_id, r.created_at, r.sealed_request from made m join webhook_requests r on r.id = m.webhook_id
       )
       insert into webhook_queue (webhook_id, account_id, workflow_id, lane, is_ready, due_at, created_at, modified_at)
       select new_id, account_id, workflow_id, lane, is_ready, due_at, created_at, modified_at from made order by n`,
      [waiting - 1],
    )
    await owner.query('vacuum analyze webhook_queue')
    await owner.query('vacuum analyze webhook_requests')
    await owner.query('checkpoint')
  } finally {
    await owner.end()
  }
}
