// What is done beside a run, such as recording it for replay, counting, indexing and announcing it, fails on purpose: the run does not notice.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Database, sql } from '../../src/db/index.ts'

import { sealRecordings } from '../../src/runs/record/recording-store.ts'
import { RunTape, TapeRoom } from '../../src/runs/recording/run-tape.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { replayToEnd } from '../harness/replays.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, findRun, runToEnd, type SampleBlock, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
let service: TestService
let target: HttpTarget
let registered: string

beforeAll(async () => {
  service = await startService()
  target = await startHttpTarget(() => ({ json: 1 }))
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
  await service.asOwner(`create function refuse_on_purpose() returns trigger language plpgsql as
    $$ begin raise exception 'refused on purpose' using errcode = '23514'; end $$`)
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  target.received.length = 0
})

let refusing: string | undefined
/** From now on the database refuses such rows, until the end of the test. */
async function refuse(table: string, when = 'true'): Promise<void> {
  refusing = table
  await service.asOwner(
    `create trigger on_purpose before insert on ${table} for each row when (${when}) execute function refuse_on_purpose()`,
  )
}
afterEach(async () => {
  if (refusing !== undefined) await service.asOwner(`drop trigger on_purpose on ${refusing}`)
  refusing = undefined
})

const deploy = (...blocks: (string | SampleBlock)[]) =>
  deployWorkflow(service.manager, blocks, { applications: { HTTP: registered } })
const post = (rest: string) => `await api.post('http/orders', { run: run.runNumber }); ${rest}`

describe('a run', () => {
  it.each(['run_recordings', 'activity_deltas', 'search_feed', 'alarm_checks', 'events'])(
    'ends, and sends what it sends once, while the database refuses rows of %s',
    async (table) => {
      const workflow = await deploy(post('return 1'), 'if (myVault.get("fails")) throw new Error("so"); return 2')
      const expectations = [{ kind: 'itemsBetween', uniqueBlockId: workflow.blocks[0], min: 5, max: 50 }]
      await service.manager.post(`/api/Expectations/${workflow.id}`, { expectations })
      await refuse(table)
      expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
      await service.manager.post(`/api/MyVaultSet/${workflow.id}/fails`, { jsonData: true })
      const failed = await runToEnd(service.manager, workflow.id)
      expect(failed).toMatchObject({ status: 'Error', errorMessage: expect.stringContaining('so') })
      expect(target.received).toHaveLength(2)
      expect(service.logText()).toContain('refused on purpose')
    },
  )

  it.each(['activity_deltas', 'search_feed'])(
    'that nobody works on is stopped while the database refuses rows of %s',
    async (table) => {
      const workflow = await deploy({ script: 'return 1', flow: { wait: { seconds: '3600' } } })
      await startRun(service.manager, workflow.id)
      await eventually(async () => (await findRun(service.manager, workflow.id, 1))?.status === 'Waiting')
      await refuse(table)
      const stopped = await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=1`)
      expect([stopped.status, stopped.body]).toEqual([200, true])
      expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({ status: 'Stopped' })
      expect(
        await service.asOwner('select from audit_log where action = $1 and target = $2', ['run.stopped', workflow.id]),
      ).toHaveLength(1)
    },
  )

  it('whose recording is refused cannot be replayed, and the reason is told', async () => {
    const workflow = await deploy(post('return 1'))
    await refuse('run_recordings', 'new.sealed_tape is not null')
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect(await replayToEnd(service.manager, workflow.id)).toMatchObject({
      runs: [
        {
          runNumber: 1,
          outcome: 'notReplayable',
          message: 'The database did not accept the recording of this run.',
        },
      ],
    })
  })

  it.each([
    ['last', [post('return "x".repeat(200)')]],
    ['first', [post('return "x".repeat(200)'), post('return 2')]],
  ])('whose %s block cannot be stored fails, and does not run it again', async (_which, blocks) => {
    const workflow = await deploy(...blocks)
    await refuse('run_blocks', 'length(new.result) > 100')
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({
      status: 'Error',
      errorMessage: 'Block 1 "Block 1" failed: The block ran, but what it returned could not be stored.',
    })
    expect(target.received).toHaveLength(1)
    expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({ status: 'Error' })
  })
})

describe('a tape', () => {
  const call = { method: 'GET', address: 'x', data: undefined }
  const told: unknown[] = []
  const seal = (tape: RunTape) =>
    sealRecordings(
      { keyRing: undefined as never, contents: undefined as never, onFault: (error) => told.push(error) },
      [{ runId: 'r', accountId: 'a', workflowId: 'w', runNumber: 1, recording: tape.finish() }],
    )

  it('that cannot note a call gives up, and says why', async () => {
    const tape = new RunTape(new TapeRoom(), 20)
    const data: Record<string, unknown> = {}
    data['itself'] = data
    const end = tape.startBlock('b').beginCall({ ...call, data: data as never })
    end({ url: 'x', answer: { statusCode: 200, headers: {}, body: Buffer.from('1') } })
    expect(await seal(tape)).toMatchObject([
      { sealed: null, problem: expect.stringContaining('could not be recorded: Converting circular structure') },
    ])
  })

  it('whose bytes are gone is not replayable, and says why', async () => {
    const tape = new RunTape(new TapeRoom(), 20)
    const body = Buffer.alloc(300_000)
    tape.startBlock('b').beginCall(call)({ url: 'x', answer: { statusCode: 200, headers: {}, body } })
    structuredClone(body.buffer, { transfer: [body.buffer] })
    expect(await seal(tape)).toMatchObject([
      { runId: 'r', sealed: null, problem: expect.stringContaining('could not be recorded') },
    ])
    expect(told).toHaveLength(1)
  })
})

describe('a transaction', () => {
  it('stays committed when somebody who is told of it fails', async () => {
    const faults: unknown[] = []
    await using database = new Database({ connectionString: service.databaseUrl }, (error) => void faults.push(error))
    const heard: string[] = []
    const result = await database.system.transaction(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('on purpose')
      })
      tx.afterCommit(() => void heard.push('second'))
      return (await tx.query(sql`select 1`)).rowCount
    })
    expect(result).toBe(1)
    expect(heard).toEqual(['second'])
    expect(faults).toMatchObject([{ message: 'on purpose' }])
  })

  it('goes on after a part of it has failed, without that part', async () => {
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const heard: string[] = []
    const rows = await database.system.transaction(async (tx) => {
      await tx.query(sql`create temporary table parts (name text) on commit drop`)
      const broken = tx.apart(async (part) => {
        part.afterCommit(() => void heard.push('broken'))
        await part.query(sql`insert into parts values ('broken')`)
        await part.query(sql`select 1 / 0`)
      })
      await expect(broken).rejects.toThrow('division by zero')
      await tx.apart(async (part) => {
        part.afterCommit(() => void heard.push('sound'))
        await part.query(sql`insert into parts values ('sound')`)
      })
      return (await tx.query<{ name: string }>(sql`select name from parts`)).rows
    })
    expect(rows).toEqual([{ name: 'sound' }])
    expect(heard).toEqual(['sound'])
  })
})
