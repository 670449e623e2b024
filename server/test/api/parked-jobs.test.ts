import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { type Job, JobQueue } from '../../src/queue/index.ts'
import { queues } from '../../src/queues.ts'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

// Nobody else works on it: the service has no worker.
const queue = 'mail'
const far = new Date(Date.now() + 3_600_000)

let service: TestService
let database: Database
let jobs: JobQueue
let groupId: string
const faults: Error[] = []
beforeAll(async () => {
  service = await startService({ role: 'api' })
  database = new Database({ connectionString: service.databaseUrl }, () => {})
  jobs = await JobQueue.start(database, {
    definitions: queues,
    supervises: true,
    onError: (error) => faults.push(error),
  })
  groupId = (await createAccount(service, service.manager, 'User')).id
})
afterAll(async () => {
  await jobs[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const fetch = () => jobs.fetchInTurns(database.system, queue, { count: 10, perAccount: 10, inHand: [] })
const park = (job: Job<unknown>, dueAt: Date | null) =>
  database.system.transaction((tx) => jobs.park(tx, queue, [job], dueAt))
const wake = (id: string) => database.system.transaction((tx) => jobs.wake(tx, queue, [id]))
const finish = (taken: readonly Job<unknown>[]) => jobs.finish(database.system, queue, taken)

async function takeOne(): Promise<Job<unknown>> {
  await database.system.transaction((tx) => jobs.sendMany(tx, queue, [{ data: {}, groupId }]))
  const [job] = await fetch()
  return job as Job<unknown>
}

async function fetchSoon(): Promise<Job<unknown>[]> {
  let taken: Job<unknown>[] = []
  await eventually(async () => {
    taken = await fetch()
    return taken.length > 0
  })
  return taken
}

describe('a parked job', () => {
  it('is taken by nobody until it is woken, and then under a new attempt', async () => {
    const job = await takeOne()
    expect(await park(job, null)).toEqual(new Set([job.id]))
    expect(await fetch()).toEqual([])
    using heard = heardOf()
    await wake(job.id)
    const taken = await fetch()
    expect(taken).toEqual([{ ...job, attempt: job.attempt + 1 }])
    await eventually(() => heard.count > 0)
    await finish(taken)
  })

  it('is announced and taken when its time has come', async () => {
    const job = await takeOne()
    using heard = heardOf()
    await park(job, new Date(Date.now() + 300))
    expect(await fetch()).toEqual([])
    const taken = await fetchSoon()
    expect(taken).toMatchObject([{ id: job.id, attempt: 1 }])
    await eventually(() => heard.count > 0)
    await finish(taken)
  })

  it('that waits for a time can be woken before, and withdrawn', async () => {
    const job = await takeOne()
    await park(job, far)
    await wake(job.id)
    const [again] = await fetch()
    expect(again?.id).toBe(job.id)
    await park(again as Job<unknown>, far)
    expect(await jobs.withdraw(database.system, queue, job.id)).toBe(true)
    await wake(job.id)
    expect(await fetch()).toEqual([])
  })
})

describe('a job that was woken while somebody worked on it', () => {
  it('can be taken again as soon as it is parked, once', async () => {
    const job = await takeOne()
    await wake(job.id)
    expect(await fetch()).toEqual([])
    using heard = heardOf()
    await park(job, null)
    const [again] = await fetch()
    expect(again).toMatchObject({ id: job.id, attempt: 1 })
    await eventually(() => heard.count > 0)
    await park(again as Job<unknown>, null)
    expect(await fetch()).toEqual([])
    await jobs.remove(database.system, queue, [job.id])
  })

  it('is not forgotten when it is being parked at that moment', async () => {
    const job = await takeOne()
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const parking = database.system.transaction(async (tx) => {
      await jobs.park(tx, queue, [job], null)
      begun.resolve()
      await held.promise
    })
    await begun.promise
    const waking = wake(job.id)
    await eventually(async () => {
      const waiting = await service.asOwner("select from pg_stat_activity where wait_event_type = 'Lock'")
      return waiting.length > 0
    })
    held.resolve()
    await Promise.all([parking, waking])
    const taken = await fetch()
    expect(taken).toMatchObject([{ id: job.id, attempt: 1 }])
    await finish(taken)
  })
})

it('a claim that was lost parks nothing', async () => {
  const job = await takeOne()
  await jobs.handBack(database.system, queue, [job])
  expect(await park(job, far)).toEqual(new Set())
  await jobs.remove(database.system, queue, [job.id])
})

function heardOf() {
  const heard = { count: 0 }
  const listening = jobs.listen(queue, () => heard.count++)
  return Object.assign(heard, { [Symbol.dispose]: () => listening[Symbol.dispose]() })
}
