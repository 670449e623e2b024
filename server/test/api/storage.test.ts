// What an account and an organization may store, and what happens when the disk runs low.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client, Keys } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { beginOfForm, blocks, largeFormType, openUpload, statusOf } from '../harness/large-upload.ts'
import { startService, type TestService } from '../harness/service.ts'
import { sendUpload, uploadForm } from '../harness/upload.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, endOf, findRun, runToEnd, startRun } from '../harness/workflows.ts'

/** Waits until it is known that there is no room left; a small value changes nothing about it. */
const refusedVault = (client: Client, workflowId: string) =>
  eventually(async () => (await client.post(`/api/MyVaultSet/${workflowId}/key`, { jsonData: 1 })).status === 400)

const megabyteScript = 'return "x".repeat(900000) + Math.random()'

describe('a quota', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({
      env: { PATCHBAY_ACCOUNT_STORAGE_MB: '2', PATCHBAY_ORGANIZATION_STORAGE_MB: '4' },
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** The tick is over, and there is no run of it. */
  async function expectSkippedTick(workflowId: string, owner: Client): Promise<void> {
    const schedule = { workflowId, isScheduled: true, scheduleFrequency: '* * * * *' }
    expect((await owner.post('/api/WorkflowScheduler', schedule)).status).toBe(200)
    await service.asOwner("update workflows set next_run_at = now() - interval '61 seconds' where id = $1", [
      workflowId,
    ])
    await eventually(async () => {
      const [row] = await service.asOwner('select next_run_at > now() as ok from workflows where id = $1', [workflowId])
      return row?.['ok'] === true
    })
    const bySchedule = await service.asOwner("select from runs where workflow_id = $1 and run_by = 'Scheduler'", [
      workflowId,
    ])
    expect(bySchedule).toEqual([])
  }

  it('stops new work of an account that has used it, and of its organization, until something is deleted', async () => {
    const { manager } = service
    const full = (await createAccount(service, manager, 'User')).client
    const other = (await createAccount(service, manager, 'User')).client
    const workflow = await deployWorkflow(full, [megabyteScript])
    const webhook = await enableWebhook(full, workflow.id)
    const another = await deployWorkflow(other, [megabyteScript])
    for (let runs = 0; runs < 3; runs++) expect((await runToEnd(full, workflow.id)).status).toBe('Ready')

    await refusedVault(full, workflow.id)
    const refused = await full.post('/api/RunWorkflow', { workflowId: workflow.id })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toMatch(/^This account has used up its storage quota of 2 MiB\. Delete/)
    expect((await sendUpload(full, uploadForm([{ name: 'a.txt', content: 'a' }]))).body.errorMessage).toContain('quota')
    const later = await webhook.send({ order: 1 })
    expect(later).toMatchObject({ status: 503, body: { errorMessage: expect.stringContaining('quota') } })
    expect(later.headers.get('retry-after')).not.toBeNull()

    expect((await full.post('/api/Overview', {})).body.attention[0]).toMatchObject({
      kind: 'storage.full',
      message: 'The storage quota of this account is used up: no runs start and nothing more is stored.',
    })
    await expectSkippedTick(workflow.id, full)

    // The organization has room for a little more.
    for (let runs = 0; runs < 2; runs++) expect((await runToEnd(other, another.id)).status).toBe('Ready')
    await refusedVault(other, another.id)
    const second = await other.post('/api/RunWorkflow', { workflowId: another.id })
    expect(second.body.errorMessage).toMatch(/^This organization has used up its storage quota of 4 MiB\./)
    expect((await other.post('/api/Overview', {})).body.attention[0].message).toContain('quota of the organization')

    expect((await full.get(`/api/DeleteWorkflow/${workflow.id}`)).status).toBe(200)
    await service.asOwner("update storage_measures set measured_at = '-infinity'")
    await eventually(async () => (await other.post('/api/RunWorkflow', { workflowId: another.id })).status === 200)
  })

  it('holds for uploads under way: together they end when it is used up, and leave nothing behind', async () => {
    const { client, id } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, ['return 1'])
    const open = async () => {
      const headers = { 'Content-Type': largeFormType, 'Content-Length': String(2 ** 30) }
      const socket = await openUpload(service.baseUrl, client.keys as Keys, headers)
      socket.write(beginOfForm)
      return socket
    }
    const [first, second] = [await open(), await open()]
    for (const block of blocks(17 * 1024 * 1024)) first.write(block)
    await refusedVault(client, workflow.id)
    const statuses = Promise.all([statusOf(first), statusOf(second)])
    for (const socket of [first, second]) socket.write('more')
    expect(await statuses).toEqual([400, 400])
    for (const socket of [first, second]) socket.destroy()
    await eventually(async () => (await service.asOwner('select from shares where account_id = $1', [id])).length === 0)
    // What was deleted is known at the next measure.
    await service.asOwner("update storage_measures set measured_at = 'epoch'")
    await eventually(
      async () => (await client.post(`/api/MyVaultSet/${workflow.id}/key`, { jsonData: 1 })).status === 200,
    )
  })

  it('and what is used of it are in Overview', async () => {
    const client = (await createAccount(service, service.manager, 'User')).client
    const { id } = await deployWorkflow(client, ['return "x".repeat(50000)'])
    await runToEnd(client, id)
    const storage = await eventually(async () => {
      const told = (await client.post('/api/Overview', {})).body.storage
      // Measured from time to time, perhaps before the run had stored its result.
      return told.storedBytes > 50_000 && told
    })
    expect(storage.accountBytesMax).toBe(2 * 1024 * 1024)
    expect(storage.storedBytes).toBeLessThan(60_000)
    expect(storage).toMatchObject({ organizationBytesMax: 4 * 1024 * 1024 })
    expect(storage).not.toHaveProperty('organizationStoredBytes')
    const seen = (await service.manager.post('/api/Overview', {})).body.storage
    expect(seen.organizationStoredBytes).toBeGreaterThan(storage.storedBytes)
  })

  it('counts vault values and mails that wait at once, and refuses whatever would be stored', async () => {
    const partner = (await createAccount(service, service.manager, 'DevPartner')).client
    const { id } = await deployWorkflow(partner, ['return 1'])
    const values = [1, 2].map((key) =>
      partner.post(`/api/MyVaultSet/${id}/${key}`, { jsonData: 'x'.repeat(700_000) + key }),
    )
    expect((await Promise.all(values)).map(({ status }) => status)).toEqual([200, 200])
    const mail = { subject: 'x', to: ['a@example.com'], body: 'x'.repeat(900_000) }
    expect((await partner.post('/api/ApiProxyEmail', mail)).status).toBe(200)
    await refusedVault(partner, id)
    const refused = { errorMessage: expect.stringContaining('quota') }
    const custom = { name: 'x', chain: [{ blockName: 'x', script: 'return 1' }] }
    const item = { path: 'functions/x.yaml', content: 'kind: function' }
    for (const [path, body] of [
      ['Workflow', custom],
      [`Workflow/${id}`, { name: 'y' }],
      ['PushWorkflows', { workflows: [{ workflow: custom }] }],
      [`RestoreRevision/${id}`, { revision: 1 }],
      ['CatalogImport', { files: [item] }],
    ] as const) {
      expect(await partner.post(`/api/${path}`, body), path).toMatchObject({ status: 400, body: refused })
    }
    const more = await partner.post('/api/ApiProxyEmail', mail)
    expect(more).toMatchObject({ status: 400, body: { Error: expect.stringContaining('quota') } })
    expect((await partner.get(`/api/ArchiveWorkflow/${id}`)).status).toBe(200)
  })
})

describe('a disk with too little room', () => {
  it('takes no new work with a sentence, and lets what is under way end', async () => {
    await using service = await startService()
    const client = (await createAccount(service, service.manager, 'User')).client
    const workflow = await deployWorkflow(client, ['await sleep(500); return 1'])
    const webhook = await enableWebhook(client, workflow.id)
    await using low = await service.startAnother({ PATCHBAY_DISK_FLOOR_MB: '900000000' }, 'api')
    const there = low.client(client.keys)
    const underWay = await startRun(client, workflow.id)
    const refused = await there.post('/api/RunWorkflow', { workflowId: workflow.id })
    expect(refused).toMatchObject({ status: 503, body: { errorMessage: expect.stringContaining('low on disk space') } })
    expect(refused.headers.get('retry-after')).not.toBeNull()
    const url = webhook.url.replace(service.baseUrl, low.baseUrl)
    const sent = await fetch(url, { method: 'POST', headers: { 'X-Webhook-Secret': webhook.secret }, body: '{}' })
    expect(sent.status).toBe(503)
    expect(sent.headers.get('retry-after')).not.toBeNull()
    for (const [path, body] of [
      ['ApiProxyEmail', { subject: 'x', to: ['a@example.com'], body: 'x' }],
      ['Workflow', { name: 'x', chain: [{ blockName: 'x', script: 'return 1' }] }],
      [`Workflow/${workflow.id}`, { name: 'y' }],
    ] as const) {
      expect((await there.post(`/api/${path}`, body)).status, path).toBe(503)
    }
    expect((await there.get('/api/Workflows')).status).toBe(200)
    expect((await endOf(client, workflow.id, underWay)).status).toBe('Ready')
  })

  it('leaves runs that wait and ticks that are due where they are, until a worker has room', async () => {
    await using service = await startService({ role: 'api' })
    const client = (await createAccount(service, service.manager, 'User')).client
    const workflow = await deployWorkflow(client, ['return 1'])
    const scheduled = await deployWorkflow(client, ['return 2'])
    const schedule = { workflowId: scheduled.id, isScheduled: true, scheduleFrequency: '* * * * *' }
    expect((await client.post('/api/WorkflowScheduler', schedule)).status).toBe(200)
    await service.asOwner("update workflows set next_run_at = now() - interval '61 seconds' where id = $1", [
      scheduled.id,
    ])
    const mailed = await client.post('/api/ApiProxyEmail', { subject: 'x', to: ['a@example.com'], body: 'x' })
    expect(mailed.status).toBe(200)
    const number = await startRun(client, workflow.id)
    {
      await using _low = await service.startAnother({ PATCHBAY_DISK_FLOOR_MB: '900000000' }, 'worker')
      // It has done its other work: the mail is counted.
      await eventually(async () => (await service.asOwner('select from activity_deltas limit 1')).length === 0)
      const runs = await service.asOwner('select status from runs where workflow_id = any ($1)', [
        [workflow.id, scheduled.id],
      ])
      expect(runs).toHaveLength(1)
      expect((await findRun(client, workflow.id, number)).endDateTimeUTC ?? null).toBe(null)
    }
    await using _worker = await service.startAnother({}, 'worker')
    expect((await endOf(client, workflow.id, number)).status).toBe('Ready')
    await eventually(
      async () => (await service.asOwner('select from runs where workflow_id = $1', [scheduled.id])).length > 0,
    )
  })
})
