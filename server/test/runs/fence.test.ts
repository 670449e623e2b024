import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { WriteIntents } from '../../src/runs/execute/write-intents.ts'
import { endRuns, recordBlocks } from '../../src/runs/record/record-store.ts'
import { claimKey, type RunClaim } from '../../src/runs/run.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, startRun } from '../harness/workflows.ts'

let api: TestService
let database: Database
beforeAll(async () => {
  // Without a worker, so that nobody else writes about the runs.
  api = await startService({ role: 'api' })
  database = new Database({ connectionString: api.databaseUrl }, () => {})
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

/** Two claims on one run: the one that was lost, and the one that counts. */
async function takenTwice(): Promise<{ lost: RunClaim; held: RunClaim }> {
  const workflow = await deployWorkflow(api.manager, ['return 1', 'return 2'])
  await startRun(api.manager, workflow.id)
  const [run] = await api.asOwner(
    'update runs set attempt = 1 where workflow_id = $1 returning id, tableoid::regclass::text as partition',
    [workflow.id],
  )
  const { id: runId, partition } = run as { id: string; partition: string }
  return { lost: { runId, attempt: 0, partition }, held: { runId, attempt: 1, partition } }
}

const work = { blocks: 1, calls: 0, scriptMs: 0 }
const progress = { pauseMs: 0, lastBlockId: null, lastBlockTitle: null }
const blockOf = (seq: number) => ({
  blockId: randomUUID(),
  seq,
  status: 'Ready' as const,
  result: '1',
  errorMessage: null,
  log: null,
  session: null,
  sealedDeferred: null,
  calls: null,
  endFlag: null,
  startedAt: new Date(),
  endedAt: new Date(),
  pauseMs: 0,
})

describe('a worker that lost a run and took it again', () => {
  it('records nothing for the claim it lost, also beside a record of the other', async () => {
    const { lost, held } = await takenTwice()
    const { accountId } = api.firstAccount
    const [late, right] = [blockOf(1), blockOf(2)]
    const statuses = await recordBlocks(database.system, [
      { claim: lost, accountId, progress, block: late },
      { claim: held, accountId, progress, block: right },
    ])
    expect([...statuses]).toEqual([[claimKey(held), 'Processing']])
    expect(await api.asOwner('select block_id from run_blocks where run_id = $1', [held.runId])).toEqual([
      { block_id: right.blockId },
    ])
  })

  it('ends the run once', async () => {
    const { lost, held } = await takenTwice()
    const { accountId } = api.firstAccount
    const end = { status: 'Ready' as const, errorMessage: null, isExpiredByTime: false }
    const ended = await endRuns(database.system, [
      {
        claim: lost,
        accountId,
        progress,
        work,
        block: blockOf(1),
        end: { ...end, status: 'Error', errorMessage: 'late' },
      },
      { claim: held, accountId, progress, work, block: blockOf(2), end },
    ])
    expect([...ended.keys()]).toEqual([claimKey(held)])
    expect(ended.get(claimKey(held))).toMatchObject({ status: 'Ready', errorMessage: null })
    expect(await api.asOwner('select seq from run_blocks where run_id = $1', [held.runId])).toEqual([{ seq: 2 }])
  })

  it('may send writes for the claim it holds only', async () => {
    const { lost, held } = await takenTwice()
    const intents = new WriteIntents(database.system)
    const write = { blockId: randomUUID(), method: 'POST', url: 'HTTP/orders', sentAt: new Date() }
    const notes = [lost, held].map((claim) =>
      intents.note({ ...write, claim, accountId: api.firstAccount.accountId, idempotencyKey: `key ${claim.attempt}` }),
    )
    expect(await Promise.all(notes)).toEqual([false, true])
  })
})
