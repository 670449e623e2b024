// Jobs that are woken at any moment: while they are parked, taken, worked on or being parked. Whoever works on one looks at what it was woken for and
// parks it again; nothing may be left that nobody looked at.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database, rawStatement } from '../../src/db/index.ts'
import { JobQueue } from '../../src/queue/index.ts'
import { queues } from '../../src/queues.ts'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

// Nobody else works on it: the service has no worker.
const queue = 'mail'
const jobsInAll = 12
const wakes = 300
const hands = 3

let service: TestService
let database: Database
let jobs: JobQueue
beforeAll(async () => {
  service = await startService({ role: 'api' })
  database = new Database({ connectionString: service.databaseUrl }, () => {})
  jobs = await JobQueue.start(database, { definitions: queues, supervises: true, onError: () => {} })
})
afterAll(async () => {
  await jobs[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

it('every wake-up is followed by a look, and no job is taken twice at once', async () => {
  const { id: groupId } = await createAccount(service, service.manager, 'User')
  const ids = Array.from({ length: jobsInAll }, () => crypto.randomUUID())
  await service.asOwner(`create table wanted (id uuid primary key, times integer not null default 0);
    grant select, insert, update on wanted to patchbay_system`)
  await database.system.transaction(async (tx) => {
    await tx.query(rawStatement('insert into wanted (id) select unnest($1::uuid[])', [ids]))
    await jobs.sendMany(
      tx,
      queue,
      ids.map((id) => ({ id, groupId })),
    )
  })

  const seen = new Map<string, number>()
  const inHand = new Set<string>()
  let isOver = false
  const work = async () => {
    while (!isOver) {
      const taken = await jobs.fetchInTurns(database.system, queue, { count: 3, perAccount: 3, inHand: [] })
      for (const { id } of taken) {
        expect(inHand.has(id)).toBe(false)
        inHand.add(id)
      }
      for (const job of taken) {
        const { rows } = await database.system.query<{ times: number }>(
          rawStatement('select times from wanted where id = $1', [job.id]),
        )
        seen.set(job.id, rows[0]?.times ?? -1)
        inHand.delete(job.id)
        await database.system.transaction((tx) => jobs.park(tx, queue, [job], null))
      }
    }
  }
  const wake = () =>
    database.system.transaction(async (tx) => {
      const id = ids[Math.floor(Math.random() * ids.length)] as string
      await tx.query(rawStatement('update wanted set times = times + 1 where id = $1', [id]))
      await jobs.wake(tx, queue, [id])
    })

  const working = Promise.all(Array.from({ length: hands }, work))
  for (let batch = 0; batch < wakes / 3; batch++) await Promise.all([wake(), wake(), wake()])
  const wanted = await service.asOwner('select id, times from wanted')
  await eventually(() => wanted.every(({ id, times }) => seen.get(String(id)) === times))
  isOver = true
  await working
  await service.asOwner('drop table wanted')
})
