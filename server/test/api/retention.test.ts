// What grows has an end: cleared alarms, days of use and replaced revisions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ActivityRoller } from '../../src/activity/index.ts'
import { AlarmKeeper } from '../../src/alarms/index.ts'
import { Database } from '../../src/db/index.ts'
import { RevisionRetention } from '../../src/workflows/index.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow } from '../harness/workflows.ts'

let service: TestService
let database: Database
const onFault = (error: unknown) => {
  throw error
}
beforeAll(async () => {
  service = await startService({ role: 'api' })
  database = new Database({ connectionString: service.databaseUrl }, () => {})
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

describe('retention', () => {
  it('takes alarms that were cleared long ago, and no open one', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await service.asOwner(
      `insert into alarms (id, account_id, workflow_id, expectation_id, kind, message, is_open, raised_at, cleared_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), 'usual', message, is_open, now() - interval '500 days', now() - days * interval '1 day'
       from (values ('old', false, 400), ('young', false, 300), ('open', true, null)) as a (message, is_open, days)`,
      [service.firstAccount.accountId, id],
    )
    const keeper = new AlarmKeeper({ database, publish: async () => {}, baseUrl: () => '', daysKept: 365, onFault })
    await keeper.sweep()
    const left = await service.asOwner('select message from alarms where workflow_id = $1 order by 1', [id])
    expect(left.map(({ message }) => message)).toEqual(['open', 'young'])
  })

  it('takes days of use after years', async () => {
    await service.asOwner(
      `insert into usage_days (account_id, day, runs) select $1, (now() - years * interval '1 year')::date, years from unnest(array[3, 11]) years`,
      [service.firstAccount.accountId],
    )
    await new ActivityRoller(database, { statistics: 5, usage: 10 }, onFault).forgetYears()
    const left = await service.asOwner('select runs from usage_days where runs in (3, 11)')
    expect(left).toEqual([{ runs: 3 }])
  })

  it('takes revisions that were replaced long ago, never the current one', async () => {
    const { id, blocks } = await deployWorkflow(service.manager, ['return 1'])
    for (const script of ['return 2', 'return 3', 'return 4'])
      await service.manager.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId: blocks[0], script }] })
    const revisions = async () =>
      (await service.asOwner('select revision from workflow_revisions where workflow_id = $1 order by 1', [id])).map(
        ({ revision }) => revision,
      )
    const all = await revisions()
    expect(all.length).toBeGreaterThanOrEqual(4)
    // All are old but the third; the second was replaced by it a moment ago.
    await service.asOwner(
      "update workflow_revisions set created_at = now() - interval '100 days' where workflow_id = $1 and revision <> $2",
      [id, all[2]],
    )
    const retention = new RevisionRetention(database, { daysKept: 50, runDaysKept: 30 }, onFault)
    await service.asOwner('update workflow_revisions set created_at = now() where workflow_id = $1 and revision > $2', [
      id,
      all[2],
    ])
    await retention.sweep()
    expect(await revisions()).toEqual(all.slice(1))
    await service.asOwner(
      "update workflow_revisions set created_at = now() - interval '100 days' where workflow_id = $1",
      [id],
    )
    await retention.sweep()
    expect(await revisions()).toEqual(all.slice(-1))
  })
})
