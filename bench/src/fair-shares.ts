// A quiet account beside a thousand noisy ones: how long its runs take, alone and while 8,000 runs of the others wait.
import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployBlocks } from './runs.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const noisyAccounts = Number(process.env['BENCH_NOISY_ACCOUNTS'] ?? 1000)
const waitingRuns = 8000
const atOnce = 32

export async function benchFairShares(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const manager = clientOf(service, undefined)
  const owner = await connectOwner(dataDir.path)
  try {
    const quiet = await newAccount(service, manager)
    const noisy = await inParallel(noisyAccounts, () => newAccount(service, manager))
    await quietRuns(quiet, 50, () => false)
    const aloneMs = await quietRuns(quiet, 100, () => false)

    const ofOne = await drain(owner, () => startRuns(noisy.slice(0, 1)))
    let isDrained = false
    let besideMs: number[] = []
    const ofMany = await drain(
      owner,
      () => startRuns(noisy),
      async (drained) => {
        void drained.then(() => {
          isDrained = true
        })
        besideMs = await quietRuns(quiet, 10_000, () => isDrained)
      },
    )
    const [alone, beside] = [percentile(aloneMs, 0.95), percentile(besideMs, 0.95)]
    return [
      {
        what: `quiet account beside ${noisyAccounts} noisy ones with ${waitingRuns} runs waiting, start to end, p95 of ${besideMs.length}`,
        measured: `${beside.toFixed(0)} ms (p50 ${percentile(besideMs, 0.5).toFixed(0)}, longest ${Math.max(...besideMs).toFixed(0)})`,
        wanted: `at most ${(2 * alone + 500).toFixed(0)} ms (alone ${alone.toFixed(0)})`,
        isMet: beside <= 2 * alone + 500,
      },
      {
        what: `runs a second while ${waitingRuns} wait, of ${noisyAccounts} accounts`,
        measured: ofMany.toFixed(0),
        wanted: `of one account: ${ofOne.toFixed(0)}`,
        isMet: undefined,
      },
    ]
  } finally {
    await owner.end()
  }
}

type Account = { client: Client; workflowId: string }

function clientOf({ baseUrl, keys }: BenchService, managedAccountId: string | undefined): Client {
  return createClient({
    baseUrl,
    keys: { consumer: keys.Consumer, secretKey: keys.SecretKey },
    ...(managedAccountId === undefined ? {} : { managedAccountId }),
  })
}

async function newAccount(service: BenchService, manager: Client): Promise<Account> {
  const names = { email: `${randomUUID()}@example.com`, firstName: 'Other', lastName: 'Account' }
  const id = await manager.call('AccountCreate', { body: { ...names, roleName: 'User', activated: true } })
  const client = clientOf(service, id)
  return { client, workflowId: await deployBlocks(client, 1) }
}

async function inParallel<Result>(count: number, make: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) results.push(await make())
    }),
  )
  return results
}

async function startRuns(accounts: readonly Account[]): Promise<void> {
  let next = 0
  await inParallel(waitingRuns, async () => {
    const { client, workflowId } = accounts[next++ % accounts.length] as Account
    await client.call('RunWorkflow', { body: { workflowId } })
  })
}

/** Runs a second from the moment at which all wait to the last end. */
async function drain(
  owner: pg.Client,
  start: () => Promise<void>,
  beside: (drained: Promise<void>) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  // Held back until all are there: the worker must not begin while the load is still being made.
  await owner.query(`
    create or replace function hold_back() returns trigger language plpgsql as $$ begin new.is_held = true; return new; end $$;
    create trigger hold_back before insert on jobs for each row when (new.queue = 'runs') execute function hold_back()`)
  await start()
  await owner.query('drop trigger hold_back on jobs')
  const startedAt = performance.now()
  await owner.query("update jobs set is_held = false where queue = 'runs'")
  const drained = untilDrained(owner)
  await beside(drained.then(() => {}))
  return waitingRuns / (((await drained) - startedAt) / 1000)
}

/** When nothing waited any more. */
async function untilDrained(owner: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await owner.query("select count(*)::int as left from jobs where queue = 'runs'")
    // What the quiet account has under way is not waited for.
    if (rows[0].left <= 2) break
    await new Promise((done) => setTimeout(done, 100))
  }
  return performance.now()
}

/** One after the other; from the request to the recorded end. */
async function quietRuns({ client, workflowId }: Account, count: number, isOver: () => boolean): Promise<number[]> {
  const all: number[] = []
  for (let run = 0; run < count && !isOver(); run++) {
    const startedAt = performance.now()
    await client.call('RunWorkflow', { body: { workflowId } })
    for (;;) {
      const body = { page: 0, size: 1 }
      const { items } = await client.call('GetRunHistory', { params: { workflowId }, body })
      if (items[0]?.endDateTimeUTC) break
      await new Promise((done) => setTimeout(done, 5))
    }
    all.push(performance.now() - startedAt)
    await new Promise((done) => setTimeout(done, 100))
  }
  return all
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
