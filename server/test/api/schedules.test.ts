import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { createWorkflow, deployWorkflow, endOf } from '../harness/workflows.ts'

describe('POST /api/WorkflowScheduler', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const schedule = (body: object) => service.manager.post('/api/WorkflowScheduler', body)
  const read = async (id: string) => (await service.manager.get(`/api/Workflow/${id}`)).body
  const minuteAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).getUTCMinutes()
  /** Had a tick two minutes ago, and has none for the better part of an hour: however slow the machine is, no tick comes by itself. */
  const hourly = () => `${minuteAgo(2)} * * * *`
  /** As if the latest tick had not been seen yet. */
  const makeDue = (id: string, agoMs = 1_800_000) =>
    service.asOwner('update workflows set next_run_at = $2, schedule_last_tick = null where id = $1', [
      id,
      new Date(Date.now() - agoMs),
    ])
  const history = async (id: string) =>
    (await service.manager.post(`/api/GetRunHistory/${id}`, { page: 0, size: 100, orderByAsc: true })).body.items
  const handled = (id: string) =>
    eventually(async () => {
      const [row] = await service.asOwner('select next_run_at > now() as ok from workflows where id = $1', [id])
      return row?.['ok'] === true
    })

  it('enables and disables with a sentence, and shows the next run', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const enabled = await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: 'Daily' })
    expect(enabled.status, enabled.text).toBe(200)
    expect(enabled.body).toMatch(/enabled/)
    const shown = await read(id)
    expect(shown).toMatchObject({ isScheduled: true, scheduleFrequency: 'daily' })
    expect(shown.nextRunDateTimeUTC).toMatch(/T00:00:00\.000Z$/)
    expect(Date.parse(shown.nextRunDateTimeUTC)).toBeGreaterThan(Date.now())

    const disabled = await schedule({ workflowId: id, isScheduled: false })
    expect(disabled.body).toMatch(/disabled/)
    expect(await read(id)).toMatchObject({ isScheduled: false, scheduleFrequency: 'daily', nextRunDateTimeUTC: null })
    // Enabling without a frequency uses the stored one.
    expect((await schedule({ workflowId: id, isScheduled: true })).status).toBe(200)
    expect(await read(id)).toMatchObject({ isScheduled: true, scheduleFrequency: 'daily' })
  })

  it('disables whatever else is said, and keeps what is stored', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: 'daily', timeZone: 'Europe/Oslo' })
    const disabled = await schedule({
      workflowId: id,
      isScheduled: false,
      scheduleFrequency: 'no such thing',
      timeZone: 'x',
    })
    expect([disabled.status, disabled.body]).toEqual([200, expect.stringContaining('disabled')])
    const { scheduleFrequency, timeZone, isScheduled } = await read(id)
    expect([scheduleFrequency, timeZone, isScheduled]).toEqual(['daily', 'Europe/Oslo', false])
  })

  it('says that a faulted connection still holds a workflow, which then has no next run', async () => {
    const application = { applicationId: 'f3055934-bffe-55b6-b9e5-ce20a3a8563b', credentialsJson: '{}' }
    const { body: connection } = await service.manager.post('/api/RegApplication', application)
    const { id } = await deployWorkflow(service.manager, ['return 1'], { applications: { TEST: connection } })
    await service.asOwner(
      "update registered_applications set fault_message = 'No.', fault_source = 'target', faulted_at = now() where id = $1",
      [connection],
    )
    const enabled = await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: 'daily' })
    expect(enabled.body).toContain('is faulted')
    expect(await read(id)).toMatchObject({ isScheduled: true, isAutoRunPaused: true, nextRunDateTimeUTC: null })
  })

  it('counts in the time zone of the workflow', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: '30 6 * * *', timeZone: 'Asia/Kolkata' })
    expect(await read(id)).toMatchObject({ timeZone: 'Asia/Kolkata' })
    expect((await read(id)).nextRunDateTimeUTC).toMatch(/T01:00:00\.000Z$/)
  })

  it.each([
    ['no frequency at all', {}],
    ['four fields', { scheduleFrequency: '* * * *' }],
    ['six fields', { scheduleFrequency: '* * * * * *' }],
    ['an unknown word', { scheduleFrequency: 'fortnightly' }],
    ['a value out of range', { scheduleFrequency: '61 * * * *' }],
    ['a day that never comes', { scheduleFrequency: '0 0 31 2 *' }],
    ['an unknown time zone', { scheduleFrequency: 'daily', timeZone: 'Mars/Base' }],
    ['an empty text', { scheduleFrequency: '' }],
  ])('refuses %s with 400', async (_name, more) => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const answer = await schedule({ workflowId: id, isScheduled: true, ...more })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toMatch(/\.$/)
    expect((await read(id)).isScheduled).toBe(false)
  })

  it('refuses a workflow that is not deployed, a missing flag, and what is not the caller’s', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    expect((await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: 'daily' })).status).toBe(400)
    expect((await schedule({ workflowId: id, scheduleFrequency: 'daily' })).status).toBe(400)
    const other = await createOrganization(service)
    const body = { workflowId: id, isScheduled: false }
    const foreign = await other.manager.post('/api/WorkflowScheduler', body)
    const unknown = await service.manager.post('/api/WorkflowScheduler', {
      ...body,
      workflowId: '00000000-0000-4000-8000-000000000000',
    })
    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(unknown.text)
  })

  it('starts one run for a tick, and dateLastRun follows it', async () => {
    const { id } = await deployWorkflow(service.manager, ['return run.runBy'])
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: hourly() })
    await makeDue(id)
    const run = await endOf(service.manager, id, 1)
    expect(run).toMatchObject({ status: 'Ready', runBy: 'Scheduler' })
    expect(await read(id)).toMatchObject({ dateLastRunUTC: run.startDateTimeUTC, lastRunStatus: 'Ready' })
    await handled(id)
    expect(await history(id)).toHaveLength(1)
  })

  it('makes up for the latest missed tick of the last hour once, and not for older ones', async () => {
    const missed = await deployWorkflow(service.manager, ['return 1'])
    await schedule({
      workflowId: missed.id,
      isScheduled: true,
      scheduleFrequency: `${minuteAgo(2)},${minuteAgo(20)} * * * *`,
    })
    await makeDue(missed.id, 3 * 3_600_000)
    await endOf(service.manager, missed.id, 1)
    await handled(missed.id)
    expect(await history(missed.id)).toHaveLength(1)

    const old = await deployWorkflow(service.manager, ['return 1'])
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000)
    const frequency = `${twoHoursAgo.getUTCMinutes()} ${twoHoursAgo.getUTCHours()} * * *`
    await schedule({ workflowId: old.id, isScheduled: true, scheduleFrequency: frequency })
    await makeDue(old.id, 2 * 3_600_000 + 60_000)
    await handled(old.id)
    expect(await history(old.id)).toHaveLength(0)
  })

  it('goes on with the others when one schedule cannot be read any more', async () => {
    const [unreadable, other] = await Promise.all([1, 2].map(() => deployWorkflow(service.manager, ['return 1'])))
    for (const { id } of [unreadable!, other!])
      await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: hourly() })
    await service.asOwner(`update workflows set schedule_time_zone = 'Mars/Olympus' where id = $1`, [unreadable!.id])
    await service.asOwner(
      `update workflows set next_run_at = now() - interval '30 minutes', schedule_last_tick = null where id = any ($1)`,
      [[unreadable!.id, other!.id]],
    )
    await endOf(service.manager, other!.id, 1)
    await handled(unreadable!.id)
    expect(await history(unreadable!.id)).toHaveLength(0)
  })

  it('skips a tick while the last scheduled run is under way', async () => {
    const { id } = await deployWorkflow(service.manager, ['while (!myVault.contains("go")) await sleep(50); return 1'])
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: hourly() })
    await makeDue(id)
    await eventually(async () => (await history(id)).length === 1)
    await makeDue(id)
    await handled(id)
    expect(await history(id)).toHaveLength(1)
    await service.manager.post(`/api/MyVaultSet/${id}/go`, { jsonData: true })
    await endOf(service.manager, id, 1)
    expect(await history(id)).toHaveLength(1)
  })

  it('pauses after ten automatic failures in a row, and enabling again goes on', async () => {
    const { id } = await deployWorkflow(service.manager, ['throw new Error("always")'])
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: hourly() })
    for (let run = 1; run <= 10; run++) {
      await makeDue(id)
      expect(await endOf(service.manager, id, run)).toMatchObject({ status: 'Error' })
      await handled(id)
    }
    expect(await read(id)).toMatchObject({ isAutoRunPaused: true })
    await makeDue(id)
    await handled(id)
    expect(await history(id)).toHaveLength(10)
    await schedule({ workflowId: id, isScheduled: true })
    expect(await read(id)).toMatchObject({ isAutoRunPaused: false })
    await makeDue(id)
    await endOf(service.manager, id, 11)
  })

  it('holds still while the account is not active', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const { id } = await deployWorkflow(user.client, ['return 1'])
    await user.client.post('/api/WorkflowScheduler', {
      workflowId: id,
      isScheduled: true,
      scheduleFrequency: hourly(),
    })
    await service.manager.post(`/api/AccountState/${user.id}`, { accountState: 'Locked' })
    await makeDue(id)
    // Another workflow that is due at the same time shows that the scheduler has looked.
    const witness = await deployWorkflow(service.manager, ['return 1'])
    await schedule({ workflowId: witness.id, isScheduled: true, scheduleFrequency: hourly() })
    await makeDue(witness.id)
    await endOf(service.manager, witness.id, 1)
    expect(await service.asOwner('select from runs where workflow_id = $1', [id])).toHaveLength(0)
  })

  it('starts each tick once, however many processes look', async () => {
    await using second = await service.startAnother({}, 'all')
    await using third = await service.startAnother({}, 'all')
    expect(second.baseUrl).not.toBe(third.baseUrl)
    const workflows = await Promise.all(Array.from({ length: 12 }, () => deployWorkflow(service.manager, ['return 1'])))
    for (const { id } of workflows) await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: hourly() })
    await service.asOwner("update workflows set next_run_at = now() - interval '30 minutes' where id = any($1)", [
      workflows.map(({ id }) => id),
    ])
    for (const { id } of workflows) await endOf(service.manager, id, 1)
    for (const { id } of workflows) await handled(id)
    const runs = await service.asOwner(
      "select workflow_id, count(*)::int as n from runs where run_by = 'Scheduler' and workflow_id = any($1) group by 1",
      [workflows.map(({ id }) => id)],
    )
    expect(runs.map((row) => row['n'])).toEqual(Array(12).fill(1))
  })

  it('is paused while one of its connections is broken, also when two change in the same moment', async () => {
    const register = async (applicationId: string, credentialsJson: string) => {
      const answer = await service.manager.post('/api/RegApplication', { applicationId, credentialsJson })
      expect(answer.status, answer.text).toBe(200)
      return answer.body as string
    }
    const list = (await service.manager.get('/api/Applications')).body as { id: string; shortName: string }[]
    const idOf = (shortName: string) => list.find((one) => one.shortName === shortName)!.id
    const applications = {
      TEST: await register(idOf('TEST'), '{}'),
      HTTP: await register(idOf('HTTP'), '{"baseUrl":"http://127.0.0.1:9","authType":"bearer","token":"t"}'),
    }
    const { id } = await deployWorkflow(service.manager, ['return 1'], { applications })
    const isPaused = async () => (await read(id)).isAutoRunPaused
    const fault = 'update registered_applications set fault_message = $2 where id = $1'
    const recoverBoth = async () => {
      await service.asOwner(fault, [applications.TEST, 'broken'])
      await service.asOwner(fault, [applications.HTTP, 'broken'])
      const [one, other] = [ownerOf(service), ownerOf(service)]
      await Promise.all([one.connect(), other.connect()])
      await Promise.all([one.query('begin'), other.query('begin')])
      await one.query(fault, [applications.TEST, null])
      let isThrough = false
      const second = other.query(fault, [applications.HTTP, null]).then(() => {
        isThrough = true
      })
      // Either it waits for the first, or it did not see it.
      await eventually(async () => isThrough || (await isBlocked(service)))
      await one.query('commit')
      await second
      await other.query('commit')
      await Promise.all([one.end(), other.end()])
    }
    await recoverBoth()
    expect(await isPaused()).toBe(false)
    await service.asOwner(fault, [applications.TEST, 'broken'])
    expect(await isPaused()).toBe(true)
    // Its failures are forgotten when it is scheduled again, but not what is broken.
    await schedule({ workflowId: id, isScheduled: true, scheduleFrequency: 'daily' })
    expect(await isPaused()).toBe(true)
    await makeDue(id)
    await handled(id)
    expect(await history(id)).toEqual([])
    await service.asOwner(fault, [applications.TEST, null])
    expect(await isPaused()).toBe(false)
  })
})

function ownerOf({ databaseUrl }: TestService): pg.Client {
  return new pg.Client({ connectionString: databaseUrl, options: '-c search_path=patchbay' })
}

async function isBlocked(service: TestService): Promise<boolean> {
  return (await service.asOwner('select from pg_locks where not granted')).length > 0
}
