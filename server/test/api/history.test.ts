import { runOrderFields } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockPath, blockResult, deployWorkflow, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

const nobody = '00000000-0000-4000-8000-000000000000'

let service: TestService
let workflow: SampleWorkflow
const search = (body: object, id = workflow.id) => service.manager.post(`/api/GetRunHistory/${id}`, body)
const numbers = async (body: object) => {
  const answer = await search({ page: 0, size: 100, ...body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.items.map((item: { lockVersionNumber: number }) => item.lockVersionNumber)
}

beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_RUN_RETENTION_COUNT: '50' } })
  workflow = await deployWorkflow(service.manager, [
    {
      script: 'if (run.runNumber % 3 === 0) throw new Error("third " + run.runNumber); return run.runNumber',
      blockName: 'One',
    },
    { script: 'await sleep(5 * run.runNumber); return 2', blockName: 'Two' },
  ])
  for (let run = 1; run <= 8; run++) await runToEnd(service.manager, workflow.id)
  await runToEnd(service.manager, workflow.id, { runTillBlock: 1 })
})
afterAll(() => service[Symbol.asyncDispose]())

describe('POST /api/GetRunHistory', () => {
  it('lists the newest first, with every field', async () => {
    const { body } = await search({ page: 0, size: 2 })
    expect(body.total).toBe(9)
    expect(body.items.map((item: { lockVersionNumber: number }) => item.lockVersionNumber)).toEqual([9, 8])
    expect(body.items[1]).toEqual({
      lockVersionNumber: 8,
      status: 'Ready',
      startDateTimeUTC: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      endDateTimeUTC: expect.stringMatching(/Z$/),
      durationInMilliSec: expect.any(Number),
      pauseInMilliSec: expect.any(Number),
      runBy: 'API',
      processorType: 'Standard',
      isExpiredByTime: false,
      errorMessage: null,
      lastExecutedBlockId: workflow.blocks[1],
      lastExecutedBlockTitle: 'Two',
      webhookIds: [],
      revision: 1,
      startedByAccountId: expect.any(String),
      itemsTotal: 0,
      itemsFailed: 0,
      retryOfRunNumber: null,
      blockErrors: 0,
      waitingFor: null,
      parentRun: null,
    })
    const { startDateTimeUTC, endDateTimeUTC, durationInMilliSec } = body.items[1]
    expect(
      Math.abs(Date.parse(endDateTimeUTC) - Date.parse(startDateTimeUTC) - durationInMilliSec),
    ).toBeLessThanOrEqual(1)
  })

  it('pages', async () => {
    expect(await numbers({ page: 1, size: 4 })).toEqual([5, 4, 3, 2])
    expect(await numbers({ page: 2, size: 4 })).toEqual([1])
    expect(await numbers({ page: 9, size: 4 })).toEqual([])
    expect(await numbers({ page: 2_147_483_647, size: 1000 })).toEqual([])
  })

  it('filters by number, status and time', async () => {
    expect(await numbers({ lockVersionNumber: 4 })).toEqual([4])
    expect(await numbers({ lockVersionNumber: 400 })).toEqual([])
    expect(await numbers({ status: 'error' })).toEqual([9, 6, 3])
    expect(await numbers({ status: 'READY', lockVersionNumber: 3 })).toEqual([])
    const at = async (number: number) =>
      (await search({ page: 0, size: 1, lockVersionNumber: number })).body.items[0].startDateTimeUTC
    const [from, to] = [await at(3), await at(6)]
    const between = await numbers({ searchFrom: from, searchTo: to })
    // Milliseconds are shown, microseconds are stored: the start of a run may lie a little after what is shown.
    expect(between).toEqual(expect.arrayContaining([3, 4, 5]))
    expect(between).not.toContain(2)
    expect(between).not.toContain(7)
    expect((await search({ page: 0, size: 1, status: 'Error' })).body.total).toBe(3)
  })

  it.each(runOrderFields)('orders by %s, both ways', async (orderField) => {
    const read = async (orderByAsc: boolean) => {
      const { body } = await search({ page: 0, size: 100, orderField: orderField.toUpperCase(), orderByAsc })
      expect(body.items).toHaveLength(9)
      return body.items.map((item: Record<string, unknown>) => item[orderField] ?? null)
    }
    const ascending = await read(true)
    const sorted = [...ascending].sort((one, other) => {
      if (one === null || other === null) return Number(other === null) - Number(one === null)
      return one < other ? -1 : one > other ? 1 : 0
    })
    expect(ascending).toEqual(sorted)
    expect(await read(false)).toEqual([...sorted].reverse())
  })

  it.each([
    ['no page', { size: 1 }],
    ['no size', { page: 0 }],
    ['a size of 0', { page: 0, size: 0 }],
    ['a size over 1000', { page: 0, size: 1001 }],
    ['a negative page', { page: -1, size: 1 }],
    ['a text for a page', { page: '0', size: 1 }],
    ['a page beyond any list', { page: 1e15, size: 1 }],
    ['an unknown status', { page: 0, size: 1, status: 'Done' }],
    ['an unknown order field', { page: 0, size: 1, orderField: 'id; drop table runs' }],
    ['a time that is none', { page: 0, size: 1, searchFrom: 'yesterday' }],
    ['a day that does not exist', { page: 0, size: 1, searchTo: '2026-13-40T00:00:00Z' }],
    ['an unknown field', { page: 0, size: 1, more: true }],
    ['run number 0', { page: 0, size: 1, lockVersionNumber: 0 }],
    ['a run number beyond all numbers', { page: 0, size: 1, lockVersionNumber: 1e10 }],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await search(body)
    expect(answer.status, answer.text).toBe(400)
  })

  it('refuses an id that is no GUID with 400, and an unknown or foreign one with 404 and the same bytes', async () => {
    expect((await search({ page: 0, size: 1 }, 'x')).status).toBe(400)
    const unknown = await search({ page: 0, size: 1 }, nobody)
    expect(unknown.status).toBe(404)
    const other = await createOrganization(service)
    const colleague = await createAccount(service, service.manager, 'DevPartner')
    for (const client of [other.manager, colleague.client]) {
      const foreign = await client.post(`/api/GetRunHistory/${workflow.id}`, { page: 0, size: 1 })
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(unknown.text)
    }
  })

  it('is empty for a workflow that never ran', async () => {
    const fresh = await deployWorkflow(service.manager, ['return 1'])
    expect((await search({ page: 0, size: 10 }, fresh.id)).body).toEqual({ items: [], total: 0 })
  })
})

describe('results, logs and sessions of blocks', () => {
  const names = ['GetBlockResult', 'GetBlockUserLog', 'GetBlockSession']

  it('take the latest run unless a number is given, and ids in any case', async () => {
    const latest = await service.manager.get(
      blockPath('GetBlockResult', workflow, 1).replace(/=[\da-f-]+$/, (id) => id.toUpperCase()),
    )
    expect(latest.body).toMatchObject({ success: false, runNumber: 9, uniqueBlockId: workflow.blocks[0] })
    expect((await blockResult(service.manager, workflow, 1, 8)).body).toMatchObject({
      success: true,
      runNumber: 8,
      result: 8,
    })
  })

  it.each(names)('%s knows no unknown run, block or workflow, and nothing of others', async (name) => {
    const other = await createOrganization(service)
    const answers = await Promise.all([
      service.manager.get(blockPath(name, workflow, 1, 99)),
      service.manager.get(`/api/${name}/${workflow.id}?uniqueBlockId=${nobody}`),
      service.manager.get(`/api/${name}/${nobody}?uniqueBlockId=${workflow.blocks[0]}`),
      service.manager.get(`/api/${name}/not-a-guid?uniqueBlockId=${workflow.blocks[0]}`),
      other.manager.get(blockPath(name, workflow, 1, 1)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(answers[4]?.text).toBe(answers[2]?.text)
  })

  it.each(names)('%s refuses malformed query values with 400', async (name) => {
    for (const query of [
      '',
      '?uniqueBlockId=x',
      `?uniqueBlockId=${workflow.blocks[0]}&runNumber=x`,
      `?uniqueBlockId=${workflow.blocks[0]}&runNumber=0`,
      `?uniqueBlockId=${workflow.blocks[0]}&runNumber=99999999999`,
    ]) {
      const answer = await service.manager.get(`/api/${name}/${workflow.id}${query}`)
      expect(answer.status, query).toBe(400)
    }
  })
})

describe('retention', () => {
  it('shows no more runs than are kept, also before the rest is swept away', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await runToEnd(service.manager, id)
    // Sixty runs, as if they had been made.
    await service.asOwner(
      `insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from, moves_date_last_run)
       select gen_random_uuid(), account_id, workflow_id, n, 1, 'Ready', 'API', now(), now(), now(), true from runs, generate_series(2, 60) n where workflow_id = $1`,
      [id],
    )
    await service.asOwner('update run_counters set last_number = 60 where workflow_id = $1', [id])
    const { body } = await search({ page: 0, size: 1000, orderByAsc: true }, id)
    expect(body.total).toBe(50)
    expect(body.items[0].lockVersionNumber).toBe(11)
    const old = await service.manager.get(`/api/Workflow/${id}?runNumber=10`)
    expect(old.status).toBe(404)
    await using _next = await service.startAnother()
    // The one that really ran is of today: out of sight, it stays until its day is over.
    const kept = () =>
      service.asOwner('select min(run_number) as first from runs where workflow_id = $1 and run_number > 1', [id])
    // Where the other service sweeps at the same moment, this one leaves it to that, and the next turn is a minute later.
    await eventually(async () => ((await kept()) as { first: number }[])[0]?.first === 11)
  })

  it('empties a day of mostly superfluous runs as a whole, and puts back what is kept', async () => {
    const [busy, quiet] = [
      await deployWorkflow(service.manager, ['return 1']),
      await deployWorkflow(service.manager, ['return 1']),
    ]
    // The day before yesterday: if midnight comes while this file runs, the service has made yesterday's tables itself.
    const [{ day } = { day: '' }] = (await service.asOwner(`
      select to_char((now() at time zone 'utc')::date - 2, 'YYYYMMDD') as day`)) as { day: string }[]
    for (const table of ['runs', 'run_blocks', 'run_writes'])
      await service.asOwner(`do $$ begin
        execute format('create table ${table}_${day} partition of ${table} for values from (%L) to (%L)', first_run_id('${day}'), first_run_id('${day}'::date + 1));
        call protect('${table}_${day}', 'account_id = current_account()'); end $$`)
    const fill = (workflowId: string, runs: number, lastNumber: number) =>
      service.asOwner(
        `with made as (
           insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from, moves_date_last_run)
           select (left(first_run_id('${day}')::text, 14) || right(gen_random_uuid()::text, 22))::uuid, $2, $1, n, 1, 'Ready', 'API', now(),
             case when n > 1 then now() end, now(), true from generate_series(1, $3::integer) n returning id
         ), counted as (insert into run_counters values ($1, $2, $4))
         insert into run_blocks (run_id, block_id, account_id, seq, status, started_at, ended_at)
         select id, gen_random_uuid(), $2, 1, 'Ready', now(), now() from made`,
        [workflowId, service.firstAccount.accountId, runs, lastNumber],
      )
    await fill(busy.id, 200, 210)
    await fill(quiet.id, 3, 3)
    await using _next = await service.startAnother()
    const left = () =>
      service.asOwner(
        `select r.workflow_id as id, count(*)::int as runs, count(b.run_id)::int as blocks, min(run_number) filter (where r.ended_at is not null) as first
         from runs_${day} r left join run_blocks_${day} b on b.run_id = r.id group by 1 order by 2`,
      )
    // The first run of each is still under way, so it stays whatever its number is.
    await eventually(async () => ((await left()) as { runs: number }[])[1]?.runs === 41)
    expect(await left()).toEqual([
      { id: quiet.id, runs: 3, blocks: 3, first: 2 },
      { id: busy.id, runs: 41, blocks: 41, first: 161 },
    ])
    // Nothing was left for vacuum: the tables are new.
    const [space] = await service.asOwner(
      `select pg_relation_filenode('runs_${day}') <> 'runs_${day}'::regclass::oid as is_new`,
    )
    expect(space?.['is_new']).toBe(true)
  })

  it('drops whole days, but not one in which a run is under way', async () => {
    const days = await service.asOwner(
      `select (now() at time zone 'utc')::date - 40 as free, (now() at time zone 'utc')::date - 41 as busy`,
    )
    const make = async (day: unknown, endedAt: string | null) => {
      const [{ name } = { name: '' }] = (await service.asOwner("select to_char($1::date, 'YYYYMMDD') as name", [
        day,
      ])) as { name: string }[]
      for (const table of ['runs', 'run_blocks'])
        await service.asOwner(
          `do $$ begin execute format('create table ${table}_${name} partition of ${table} for values from (%L) to (%L)', first_run_id('${name}'::date), first_run_id('${name}'::date + 1)); end $$`,
        )
      await service.asOwner(
        `insert into runs (id, account_id, workflow_id, run_number, revision, run_by, created_at, ended_at, counts_from, moves_date_last_run)
         values (first_run_id($1::date), $2, $3, 1, 1, 'API', now(), $4, now(), true)`,
        [day, service.firstAccount.accountId, nobody, endedAt],
      )
      return name
    }
    const free = await make(days[0]?.['free'], new Date().toISOString())
    const busy = await make(days[0]?.['busy'], null)
    const dropped = await service.asOwner("select drop_run_partitions((now() at time zone 'utc')::date - 30) as day")
    expect(dropped).toEqual([{ day: free }])
    const left = await service.asOwner(
      "select to_regclass('runs_' || $1) as free, to_regclass('run_blocks_' || $2) as busy",
      [free, busy],
    )
    expect(left[0]?.['free']).toBeNull()
    expect(left[0]?.['busy']).not.toBeNull()
  })

  it('has a partition ready for today and the days to come', async () => {
    const rows = await service.asOwner(
      "select count(*)::int as n from generate_series(0, 7) d where to_regclass('runs_' || to_char((now() at time zone 'utc')::date + d, 'YYYYMMDD')) is not null",
    )
    expect(rows[0]?.['n']).toBe(8)
    const used = await service.asOwner(
      'select distinct tableoid::regclass::text as name from runs where workflow_id = $1',
      [workflow.id],
    )
    for (const { name } of used) expect(name).toMatch(/runs_\d{8}$/)
  })
})

describe('GET /api/GetBlockSession', () => {
  it('shows what a block that failed had left in session.vars', async () => {
    const failing = await deployWorkflow(service.manager, [
      'session.vars.first = 1; return 1',
      'session.vars.cursor = "abc"; throw new Error("no")',
    ])
    await runToEnd(service.manager, failing.id)
    const answer = await service.manager.get(blockPath('GetBlockSession', failing, 2))
    expect(answer.body.result).toEqual({ first: 1, cursor: 'abc' })
  })
})
