import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { JobQueue, JobWorker } from '../../src/queue/index.ts'
import { queues } from '../../src/queues.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

// Nobody else works on it: the service has no worker.
const queue = 'mail'

let service: TestService
let database: Database
let jobs: JobQueue
let noisy: string
let neighbour: string
let elsewhere: string
beforeAll(async () => {
  service = await startService({ role: 'api' })
  database = new Database({ connectionString: service.databaseUrl }, () => {})
  jobs = await JobQueue.start(database, { definitions: queues, supervises: false, onError: () => {} })
  const users = [1, 2].map(async () => (await createAccount(service, service.manager, 'User')).id)
  ;[noisy, neighbour] = (await Promise.all(users)) as [string, string]
  elsewhere = (await createOrganization(service)).accountId
})
afterAll(async () => {
  await jobs[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const file = (groupId: string | undefined, count: number, startAfter?: Date) =>
  database.system.transaction((tx) =>
    jobs.sendMany(
      tx,
      queue,
      Array.from({ length: count }, (_, no) => ({
        data: { no },
        ...(groupId && { groupId }),
        ...(startAfter && { startAfter }),
      })),
    ),
  )
type Data = { no: number }
const fetch = (count: number, perAccount: number, inHand: { groupId: string | null }[] = []) =>
  jobs.fetchInTurns<Data>(database.system, queue, { count, perAccount, inHand })
const countOf = (taken: readonly { groupId: string | null }[], id: string | null) =>
  taken.filter(({ groupId }) => groupId === id).length
const empty = () => service.asOwner('delete from jobs where queue = $1', [queue])

describe('jobs of accounts', () => {
  it('are taken in turns, each account within its share', async () => {
    await file(noisy, 50)
    await file(neighbour, 1)
    const first = await fetch(4, 2)
    expect([countOf(first, noisy), countOf(first, neighbour)]).toEqual([2, 1])
    expect(await fetch(4, 2, first)).toEqual([])
    expect(countOf(await fetch(4, 2), noisy)).toBe(2)
    await empty()
  })

  it('of another organization do not wait for a second account of the same', async () => {
    for (let round = 0; round < 5; round++) {
      await file(noisy, 10)
      await file(neighbour, 10)
      await file(elsewhere, 1)
      expect(countOf(await fetch(2, 1), elsewhere)).toBe(1)
      await empty()
    }
  })

  it('are taken when they are due, and so are those without an account', async () => {
    await file(noisy, 3, new Date(Date.now() + 3_600_000))
    await file(undefined, 1)
    await file(elsewhere, 1)
    const taken = await fetch(10, 10)
    expect([taken.length, countOf(taken, null), countOf(taken, elsewhere)]).toEqual([2, 1, 1])
    await empty()
  })

  it('that fail are tried again; those that are done are gone', async () => {
    await file(noisy, 3)
    const tried: number[] = []
    {
      await using worker = new JobWorker<Data>({
        database,
        jobs,
        queue,
        atOnce: 1,
        perAccount: 1,
        work: async ({ data, attempt }) => {
          tried.push(data.no)
          if (data.no === 1 && attempt === 0) throw new Error('not yet')
        },
        onFault: (error) => expect.unreachable(String(error)),
      })
      worker.start()
      await eventually(() => tried.length >= 3)
    }
    expect(tried).toEqual([0, 1, 2])
    const left = await service.asOwner('select state, data from jobs where queue = $1', [queue])
    expect(left).toEqual([{ state: 'parked', data: { no: 1 } }])
    await empty()
  })
})
