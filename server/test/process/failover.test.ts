// The primary of a replicated database dies under load and its standby takes over. Nobody restarts anything.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectOwner, explainFault, splitDatabaseUrl } from '../../src/db/index.ts'
import { eventually } from '../harness/eventually.ts'
import { isLarge } from '../harness/proof-size.ts'
import { readiness, unreadiness } from '../harness/readiness.ts'
import { type ReplicatedDatabase, startReplicatedDatabase } from '../harness/replicated-database.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

let database: ReplicatedDatabase
let service: TestService
let workflow: SampleWorkflow
beforeAll(async () => {
  database = await startReplicatedDatabase()
  service = await startService({ postgres: database })
  workflow = await deployWorkflow(service.manager, ['await sleep(20); return 1'])
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const nobody = () => service.client(undefined)

/** Every verdict in the log of the service, in order. */
const saidOfReadiness = () =>
  [...service.logText().matchAll(/"part":"readiness".*"msg":"([^"]*)"/g)].map(([, sentence]) => sentence)

describe('a database with several hosts', () => {
  it('fails over under load: nothing that was accepted is lost, nothing is answered with 500', async () => {
    await runToEnd(service.manager, workflow.id)
    const accepted: number[] = []
    const statuses = new Set<number>()
    let isOver = false
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const answer = await service.manager.post('/api/RunWorkflow', { workflowId: workflow.id })
        statuses.add(answer.status)
        if (answer.status === 200) accepted.push(Number(answer.headers.get('x-run-number')))
        else await new Promise((done) => setTimeout(done, 20))
      }
    })
    await eventually(() => accepted.length > 50)
    await database.primary.kill()
    const refused = await unreadiness(nobody())
    expect(refused.body.errorMessage).toMatch(/^The database is read-only|^The database cannot be reached/)
    await database.promote()
    const promotedAt = Date.now()
    const before = accepted.length
    await eventually(() => accepted.length > before + 50)
    await eventually(async () => (await readiness(nobody())).status === 200)
    if (isLarge) expect(Date.now() - promotedAt).toBeLessThan(15_000)
    isOver = true
    await Promise.all(clients)
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(new Set(accepted).size).toBe(accepted.length)
    for (const number of accepted)
      expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })

  it('that turned read-only is said to be so, in /readyz and once in the log, and is used again afterwards', async () => {
    const saidBefore = saidOfReadiness().length
    const setReadOnly = async (value: 'on' | 'off') => {
      await database.standby.query(`alter system set default_transaction_read_only = ${value}`)
      await database.standby.query('select pg_reload_conf()')
    }
    await setReadOnly('on')
    const refused = await eventually(async () => {
      const answer = await readiness(nobody())
      return answer.status === 503 && answer.body.errorMessage.includes('read-only') ? answer : undefined
    })
    expect(refused.body.errorMessage).toContain(
      'The database is read-only: none of its hosts accepts writes at the moment.',
    )
    const answer = await service.manager.post('/api/RunWorkflow', { workflowId: workflow.id })
    expect(answer.status).toBe(503)
    // However often one looks, and whichever of the hosts is tried last: the other one is still dead.
    for (let looks = 0; looks < 5; looks++) expect((await readiness(nobody())).status).toBe(503)
    const { primary, standby, host } = database
    for (const [first, last] of [[primary, standby] as const, [standby, primary] as const]) {
      const connectionString = `postgres://postgres@${host}:${first.port},${host}:${last.port}/postgres`
      const fault = await connectOwner({ connectionString }, 'test').catch((error: unknown) => error)
      expect(explainFault(fault)).toBe(refused.body.errorMessage)
    }
    // The owner of the setting may always take it back.
    await setReadOnly('off')
    await eventually(async () => (await readiness(nobody())).status === 200)
    expect((await runToEnd(service.manager, workflow.id)).status).toBe('Ready')
    const said = saidOfReadiness().slice(saidBefore)
    expect(said).toContain(`Not ready. ${refused.body.errorMessage}`)
    // On a busy machine a look may come to another verdict in between. No verdict is told twice in a row.
    expect(said.filter((sentence, index) => sentence === said[index - 1])).toEqual([])
  })
})

describe('an address with several hosts', () => {
  it('is one address for each, with everything else as it was', () => {
    expect(
      splitDatabaseUrl('postgresql://u:p%40@a:1,b:2,[::1]:3/db?sslmode=disable&target_session_attrs=read-write'),
    ).toEqual([
      'postgresql://u:p%40@a:1/db?sslmode=disable',
      'postgresql://u:p%40@b:2/db?sslmode=disable',
      'postgresql://u:p%40@[::1]:3/db?sslmode=disable',
    ])
    expect(splitDatabaseUrl('postgres://u@localhost/db?host=/a,/b&port=5,6')).toEqual([
      'postgres://u@localhost/db?host=%2Fa&port=5',
      'postgres://u@localhost/db?host=%2Fb&port=6',
    ])
  })

  it.each([
    ['mysql://u:geheim@a/db', 'must be an address that starts with postgres:// or postgresql://.'],
    ['postgres://u:geheim@a:1,b:port/db', 'names a host or port that is not valid.'],
    ['postgres://u:geheim@a/db?host=a,b&port=1,2,3', 'names 2 hosts and 3 ports.'],
    [
      'postgres://u:geheim@a/db?target_session_attrs=standby',
      'has target_session_attrs=standby. Patchbay writes to its database: use read-write, or leave it out.',
    ],
  ])('%s is refused', (url, sentence) => {
    expect(() => splitDatabaseUrl(url)).toThrow(sentence)
  })
})
