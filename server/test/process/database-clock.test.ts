// A database whose clock was set back, or jumps ahead: nothing that waits for a time stands still for as long as the jump, and none comes early.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listRepairedTables } from '../../src/clock/repairs.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { remember } from '../harness/webhook-queue.ts'
import { enableWebhook, leftQueue } from '../harness/webhooks.ts'
import { deployWorkflow } from '../harness/workflows.ts'

let api: TestService
beforeAll(async () => {
  api = await startService({ role: 'api' })
})
afterAll(() => api[Symbol.asyncDispose]())

const hour = "interval '1 hour'"
/**
 * What was written before lies an hour in the future then, the latest time that anybody saw included. That one is counted from now: without a worker
 * nobody has looked since the database was made.
 */
const setBack = async (tables: Record<string, string[]>) => {
  for (const [table, columns] of Object.entries(tables))
    await api.asOwner(`update ${table} set ${columns.map((column) => `${column} = ${column} + ${hour}`).join(', ')}`)
  await api.asOwner(`update database_clock set seen_at = clock_timestamp() + ${hour}`)
}
const figure = async (name: string) => {
  const { text } = await api.client(undefined).get('/metrics')
  return Number(new RegExp(`^patchbay_${name} (\\S+)$`, 'm').exec(text)?.[1])
}

describe('a clock that was set back by an hour', () => {
  it('holds up no request that waits in a strict queue, and keeps their order', async () => {
    const { id } = await deployWorkflow(api.manager, [remember])
    const webhook = await enableWebhook(api.manager, id, { strictOrderProcessing: true })
    const sent = [await webhook.send({ n: 1 }), await webhook.send({ n: 2 })]
    await setBack({ webhook_queue: ['due_at', 'created_at', 'modified_at'] })
    sent.push(await webhook.send({ n: 3 }))
    await using _worker = await api.startAnother({}, 'worker')
    for (const { body } of sent) expect((await leftQueue(api.manager, id, body.webhookId)).status).toBe('Done')
    expect((await api.manager.get(`/api/MyVaultGet/${id}/seen`)).body).toEqual([1, 2, 3])
  })

  it('moves a frequent schedule to its next tick, and starts no tick of a rare one twice', async () => {
    const often = await deployWorkflow(api.manager, ['return 1'])
    const rarely = await deployWorkflow(api.manager, ['return 1'])
    const schedule = (workflowId: string, scheduleFrequency: string) =>
      api.manager.post('/api/WorkflowScheduler', { workflowId, isScheduled: true, scheduleFrequency })
    expect((await schedule(often.id, '* * * * *')).status).toBe(200)
    expect((await schedule(rarely.id, '30 3 * * *')).status).toBe(200)
    await api.asOwner(`update workflows set schedule_last_tick = date_trunc('minute', now()) where id = $1`, [often.id])
    await api.asOwner(`update workflows set schedule_last_tick = next_run_at - interval '1 day' where id = $1`, [
      rarely.id,
    ])
    const nextOfRare = async () =>
      (await api.asOwner('select next_run_at::text as at from workflows where id = $1', [rarely.id]))[0]?.['at']
    // The tick that it had before lies ahead again now.
    await api.asOwner(
      `update workflows set next_run_at = now() + interval '23 hours 40 minutes',
      schedule_last_tick = now() - interval '20 minutes' where id = $1`,
      [rarely.id],
    )
    await setBack({ workflows: ['next_run_at', 'schedule_last_tick'] })
    const rare = await nextOfRare()
    expect(await figure('schedule_lag_seconds')).toBeGreaterThan(3000)
    await using _worker = await api.startAnother({}, 'worker')
    await eventually(async () => {
      const [row] = await api.asOwner(
        `select next_run_at < now() + interval '2 minutes' and schedule_last_tick <= now() as ok from workflows where id = $1`,
        [often.id],
      )
      return row?.['ok'] === true
    })
    await eventually(async () => (await figure('schedule_lag_seconds')) < 60)
    expect(await nextOfRare()).toBe(rare)
    expect((await api.asOwner('select from clock_repairs')).length).toBe(0)
  })

  it('lets a wait last as long as it was meant to', async () => {
    const { accountId } = api.firstAccount
    await api.asOwner(`insert into leases (name, holder, until) values ('sample', $1, now() + interval '10 minutes')`, [
      accountId,
    ])
    await api.asOwner(`insert into sign_in_rates (key, attempts_left, counted_at) values ('\\x01', 0, now())`)
    await setBack({ leases: ['until'], sign_in_rates: ['counted_at'] })
    await using _worker = await api.startAnother({}, 'worker')
    await eventually(async () => {
      const [row] = await api.asOwner(`
        select (select until between now() + interval '8 minutes' and now() + interval '10 minutes' from leases where name = 'sample')
          and (select counted_at <= now() from sign_in_rates where key = '\\x01') as ok`)
      return row?.['ok'] === true
    })
  })
})

describe('what is to be moved', () => {
  it('is moved in every table, whichever way the clock jumped', async () => {
    for (const shiftMs of [-3_600_000, 3_600_000]) {
      const tables = listRepairedTables(shiftMs)
      expect(tables.length).toBeGreaterThan(9)
      await api.asOwner(
        'insert into clock_repairs (table_name, shift_ms) select name, $2 from unnest($1::text[]) as t (name)',
        [tables, shiftMs],
      )
    }
    await using worker = await api.startAnother({}, 'worker')
    await eventually(async () => (await api.asOwner('select from clock_repairs')).length === 0)
    expect(worker.logText()).not.toContain('"part":"clock"')
  })

  it('is moved once, and later where it cannot be moved at once', async () => {
    await api.asOwner(`insert into leases (name, holder, until) values ('once', $1, now() + interval '10 hours')`, [
      api.firstAccount.accountId,
    ])
    await api.asOwner(`create function not_now() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger not_now before update on leases for each row when (old.name = 'once') execute function not_now()`)
    await api.asOwner(
      "insert into clock_repairs (table_name, shift_ms) values ('leases', -3600000), ('events', -3600000)",
    )
    await using one = await api.startAnother({}, 'worker')
    await using _other = await api.startAnother({}, 'worker')
    await eventually(() => one.logText().includes('not now'))
    await api.asOwner('drop function not_now cascade')
    await eventually(async () => (await api.asOwner('select from clock_repairs')).length === 0)
    const [row] = await api.asOwner(`
      select until between now() + interval '8 hours 30 minutes' and now() + interval '9 hours' as ok from leases where name = 'once'`)
    expect(row).toEqual({ ok: true })
  })
})
