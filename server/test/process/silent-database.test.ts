// Connections to the database that stay open and say nothing any more: what a firewall that forgets, or a machine that vanishes, leaves behind.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, runToEnd, type SampleWorkflow, startRun } from '../harness/workflows.ts'

let proxy: DatabaseProxy
let base: TestService
let service: TestService
let workflow: SampleWorkflow
beforeAll(async () => {
  proxy = await startDatabaseProxy(inject('postgres'))
  base = await startService({ role: 'api' })
  service = await base.startAnother({ PATCHBAY_DATABASE_URL: proxy.urlFor(base.databaseUrl) })
  workflow = await deployWorkflow(service.manager, ['return 1'])
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await base[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const readiness = () => service.client(undefined).get('/readyz')
const reports = () => service.logText().match(/stopped answering on/g)?.length ?? 0

describe('connections that went silent', () => {
  // Before any went silent: of those, the last is found when it is used again.
  it('are told apart from a statement that takes long, which is left alone', async () => {
    // Longer than silence may last, shorter than a statement may wait for a lock.
    const locked = base.asOwner('begin; lock table workflows in access exclusive mode; select pg_sleep(7.5); commit')
    await eventually(async () => {
      const rows = await base.asOwner(
        "select 1 from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'patchbay.workflows'::regclass",
      )
      return rows.length > 0
    })
    const number = await startRun(service.manager, workflow.id)
    await locked
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
    expect(reports()).toBe(0)
  })

  it('are replaced: API and worker go on without a restart, and what was started runs', async () => {
    await runToEnd(service.manager, workflow.id)
    proxy.freeze()
    // Many at once: one stuck batch must not hold up the next.
    const asked = await Promise.all(
      Array.from({ length: 20 }, () =>
        eventually(async () => {
          const answer = await service.manager.post('/api/RunWorkflow', { workflowId: workflow.id })
          if (answer.status !== 200) expect(answer.status).toBe(503)
          return answer.status === 200 ? Number(answer.headers.get('x-run-number')) : undefined
        }),
      ),
    )
    expect(new Set(asked).size).toBe(20)
    await eventually(async () => (await readiness()).status === 200)
    for (const number of asked)
      expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
    expect(reports()).toBeGreaterThan(0)
  })

  it('are told by /readyz, with the reason, as long as no new ones can be made', async () => {
    proxy.freeze(true)
    const refused = await eventually(async () => {
      const answer = await readiness()
      return answer.status === 503 ? answer : undefined
    })
    expect(refused.body.errorMessage).toMatch(/^The database (does not answer|cannot be reached)/)
    await eventually(() => service.logText().includes('Not ready. The database'))
    proxy.thaw()
    await eventually(async () => (await readiness()).status === 200)
    await eventually(async () => (await runToEnd(service.manager, workflow.id)).status === 'Ready')
  })
})

describe('a database whose words arrive late', () => {
  it('is not taken for one whose clock was set back', async () => {
    proxy.delay(3000)
    const looks = new Set<string>()
    const seen = await eventually(async () => {
      if (/The clock of the database was set back/.test(service.logText())) return 'set back'
      const rows = await base.asOwner(
        "select query_start::text as at from pg_stat_activity where datname = current_database() and query ~ '^\\s*select extract.epoch from seen_at'",
      )
      for (const { at } of rows) looks.add(String(at))
      // One may have been asked before, and the last is not answered yet.
      return looks.size >= 3 ? 'looked' : undefined
    })
    proxy.delay(0)
    expect(seen).toBe('looked')
  })
})
