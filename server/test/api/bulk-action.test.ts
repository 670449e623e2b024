// The same to many workflows of many accounts: first what it would do, then what it did, each with its own outcome.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook, queueOf } from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow, endOf, findRun, runToEnd } from '../harness/workflows.ts'
import { nobody } from './workflow-samples.ts'

type Account = Awaited<ReturnType<typeof createAccount>>
let service: TestService
let manager: Client
let north: Account
let south: Account

beforeAll(async () => {
  service = await joinService()
  manager = service.manager
  north = await createAccount(service, manager, 'User')
  south = await createAccount(service, manager, 'User')
})
afterAll(() => service[Symbol.asyncDispose]())

async function bulk(body: object, client: Client = manager) {
  const answer = await client.post('/api/BulkAction', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const read = async (client: Client, id: string) => (await client.get(`/api/Workflow/${id}`)).body

describe('retryFailed', () => {
  it('says what it would do, then retries failed runs of every customer, and leaves the others alone', async () => {
    const broken = "throw new Error('The shop is closed')"
    const first = await deployWorkflow(north.client, [broken], { name: 'a' })
    const second = await deployWorkflow(south.client, [broken], { name: 'b' })
    const calm = await deployWorkflow(south.client, ['return 1'], { name: 'c' })
    for (const [client, { id }] of [
      [north.client, first],
      [south.client, second],
      [south.client, calm],
    ] as const)
      await runToEnd(client, id)
    const workflowIds = [first.id, second.id, calm.id]
    const preview = await bulk({ action: 'retryFailed', workflowIds, dryRun: true })
    expect(preview).toMatchObject({ done: 2, unchanged: 1, refused: 0 })
    expect(preview.items[0]).toEqual({
      workflowId: first.id,
      workflowName: 'a',
      accountId: north.id,
      accountName: 'Ada Test',
      accountEmail: north.email,
      outcome: 'done',
      message: 'Run 1 will be retried from the block that failed.',
    })
    expect(preview.items[2].message).toBe('Its latest run did not fail.')
    expect(await findRun(north.client, first.id, 2)).toBeUndefined()

    const filter = { acrossAccounts: true, lastRunStatus: 'Error' }
    const done = await bulk({ action: 'retryFailed', filter })
    expect(done).toMatchObject({ done: 2, unchanged: 0, refused: 0 })
    expect(done.items.map(({ runNumber }: { runNumber: number }) => runNumber)).toEqual([2, 2])
    const retry = await endOf(south.client, second.id, 2)
    expect(retry).toMatchObject({ runBy: 'Retry', startedByAccountId: service.firstAccount.accountId })
  })

  it('refuses what is not deployed, and goes on with the rest', async () => {
    const gone = await deployWorkflow(north.client, ["throw new Error('no')"])
    await runToEnd(north.client, gone.id)
    await north.client.get(`/api/ArchiveWorkflow/${gone.id}`)
    const answer = await bulk({ action: 'retryFailed', workflowIds: [gone.id] })
    expect(answer.items[0]).toMatchObject({
      outcome: 'refused',
      message: 'It is not deployed, so its runs cannot be retried.',
    })
  })
})

describe('pause and resume', () => {
  it('holds automatic runs until somebody resumes them, whatever runs by hand meanwhile', async () => {
    const { id } = await deployWorkflow(north.client, ['return 1'])
    const webhook = await enableWebhook(north.client, id)
    expect((await bulk({ action: 'pause', workflowIds: [id] })).items[0].message).toBe('Automatic runs are paused.')
    expect(await read(north.client, id)).toMatchObject({ isAutoRunPaused: true, nextRunDateTimeUTC: null })
    await webhook.send({ number: 1 })
    await runToEnd(north.client, id)
    expect((await read(north.client, id)).isAutoRunPaused).toBe(true)
    expect((await queueOf(north.client, id)).items[0].status).toBe('Pending')
    const again = await bulk({ action: 'pause', workflowIds: [id] })
    expect(again.items[0]).toMatchObject({ outcome: 'unchanged', message: 'It is paused already.' })
    const { attention } = (await north.client.post('/api/Overview', {})).body
    expect(attention.find((item: { targetId: string }) => item.targetId === id)).toMatchObject({
      kind: 'workflow.paused',
      message: 'Somebody paused its automatic runs.',
    })

    expect((await bulk({ action: 'resume', workflowIds: [id] })).items[0].message).toBe('Automatic runs resumed.')
    await eventually(async () => (await queueOf(north.client, id)).items.length === 0)
    const idle = await bulk({ action: 'resume', workflowIds: [id] })
    expect(idle.items[0]).toMatchObject({ outcome: 'unchanged', message: 'It is not paused.' })
  })

  it('has nothing to pause where nothing is deployed', async () => {
    const { id } = await createWorkflow(north.client, ['return 1'])
    const answer = await bulk({ action: 'pause', workflowIds: [id] })
    expect(answer.items[0].message).toBe('It is not deployed, so nothing runs by itself.')
  })
})

describe('deploy and tag', () => {
  it('deploys what can be, and says before and after why one cannot', async () => {
    const good = await createWorkflow(north.client, ['return 1'], { name: 'a good' })
    const bad = await createWorkflow(south.client, ['return 1'], {
      name: 'b bad',
      variables: { who: { type: 'text', required: true } },
      chain: [{ blockName: 'Greet', applicationShortName: 'TEST', script: 'return 1' }],
    })
    const body = { action: 'deploy', workflowIds: [good.id, bad.id] }
    const preview = await bulk({ ...body, dryRun: true })
    expect(preview.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['done', 'refused'])
    expect(preview.items[0].message).toBe('Revision 1 will be deployed.')
    const done = await bulk(body)
    expect(done.items[1].message).toBe(preview.items[1].message)
    expect((await read(north.client, good.id)).workflowState).toBe('deployed')
    expect((await bulk({ ...body, workflowIds: [good.id] })).items[0].message).toBe('It is deployed already.')
    await north.client.get(`/api/ArchiveWorkflow/${good.id}`)
    expect((await bulk({ ...body, workflowIds: [good.id] })).refused).toBe(1)
  })

  it('tags once', async () => {
    const { id } = await createWorkflow(north.client, ['return 1'])
    const body = { action: 'tag', tag: 'pilot', workflowIds: [id, id.toUpperCase()] }
    expect(await bulk({ ...body, dryRun: true })).toMatchObject({ done: 1 })
    expect((await read(north.client, id)).tags).toEqual([])
    expect(await bulk(body)).toMatchObject({ done: 1 })
    expect((await read(north.client, id)).tags).toEqual(['pilot'])
    expect((await bulk(body)).items[0].message).toBe('It has this tag already.')
  })
})

describe('whose workflows', () => {
  it('are those the caller may act for', async () => {
    const { id } = await deployWorkflow(south.client, ['return 1'])
    for (const client of [north.client, manager.as(north.id)]) {
      const answer = await client.post('/api/BulkAction', { action: 'pause', workflowIds: [id] })
      expect(answer.status).toBe(404)
    }
    const none = await bulk({ action: 'pause', filter: { acrossAccounts: true, searchTerm: id } }, north.client)
    expect(none.items).toEqual([])
    expect((await read(south.client, id)).isAutoRunPaused).toBe(false)
  })

  it('writes each row of the audit log for the account it happened in', async () => {
    const { id } = await deployWorkflow(south.client, ['return 1'])
    await bulk({ action: 'pause', workflowIds: [id] })
    const log = await manager.post('/api/GetAuditLog', { page: 0, size: 5 })
    expect(log.body.items[0]).toMatchObject({
      action: 'workflow.paused',
      target: id,
      accountId: service.firstAccount.accountId,
      managedAccountId: south.id,
    })
  })

  it('are named by ids or by a filter', async () => {
    for (const body of [{}, { workflowIds: [nobody], filter: {} }]) {
      const answer = await manager.post('/api/BulkAction', { action: 'pause', ...body })
      expect([answer.status, answer.body.errorMessage]).toEqual([400, 'Give either workflowIds or filter.'])
    }
  })

  it('are at most a thousand', async () => {
    const { id } = await createWorkflow(north.client, ['return 1'], { name: 'many' })
    await service.asOwner(
      `insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
       select gen_random_uuid(), organization_id, account_id, 'many', '', false from workflows, generate_series(1, 1000) where id = $1`,
      [id],
    )
    const answer = await manager.post('/api/BulkAction', {
      action: 'pause',
      filter: { acrossAccounts: true, searchTerm: 'many' },
      dryRun: true,
    })
    expect(answer.body.errorMessage).toBe('The filter matches more than 1000 workflows. Narrow it down.')
    await service.asOwner(`delete from workflows where name = 'many' and id <> $1`, [id])
  })
})
