// The bad day: Home groups by cause, and one button repairs each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../server/test/harness/accounts.ts'
import { enableWebhook, sendRaw, toBytes } from '../server/test/harness/webhooks.ts'
import { deployWorkflow, endOf, runToEnd } from '../server/test/harness/workflows.ts'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
let customers: Awaited<ReturnType<typeof createAccount>>[]
const failing: string[] = []

beforeAll(async () => {
  visit = await startVisit()
  const { service } = visit
  customers = [
    await createAccount(service, service.manager, 'User'),
    await createAccount(service, service.manager, 'User'),
  ]
  for (const [index, { client }] of customers.entries()) {
    const script = `if (!myVault.contains('open')) throw new Error('The shop refused order ${index + 1}'); return 1`
    const { id } = await deployWorkflow(client, [script], { name: 'Orders to shop' })
    await runToEnd(client, id)
    failing.push(id)
  }
  const items = await deployWorkflow(
    service.manager,
    [
      'return [{ id: 4711 }, { id: 4712 }]',
      {
        blockName: 'Ship',
        script: "if (!item.isBooked) throw new Error('No stock of ' + itemKey); return itemKey",
        flow: { forEach: { key: 'item.id', maxFailures: 'all' } },
      },
    ],
    { name: 'Shipments' },
  )
  await runToEnd(service.manager, items.id)
})
afterAll(() => visit[Symbol.asyncDispose]())

describe('Home', () => {
  it('shows the same error of two customers as one line, and retries both with one button', async () => {
    const page = await visit.open('/')
    const line = page.getByRole('listitem').filter({ hasText: 'The shop refused order' })
    await line.getByText('Orders to shop of 2 customers').waitFor()
    expect(await line.count()).toBe(1)
    for (const [index, { client }] of customers.entries())
      await client.post(`/api/MyVaultSet/${failing[index]}/open`, { jsonData: true })
    await line.getByRole('button', { name: 'Retry 2 failed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry failed 2 workflows?' })
    await dialog.getByText('2 will change').waitFor()
    await dialog.getByRole('button', { name: 'Retry failed' }).click()
    for (const [index, { client }] of customers.entries()) {
      const run = await endOf(client, failing[index] as string, 2)
      expect(run.status).toBe('Ready')
    }
    await line.waitFor({ state: 'detached' })
  })
})

describe('a workflow that is not simply fine', () => {
  it('says under its title what holds it, and how much waits behind its tabs', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, ["throw new Error('The press is jammed')"], { name: 'Prints' })
    const webhook = await enableWebhook(manager, id)
    await runToEnd(manager, id)
    const page = await visit.open(`/workflows/${id}`)
    await page.getByRole('note').getByText('The press is jammed').waitFor()
    await page.getByRole('link', { name: 'Runs 1 failed' }).waitFor()
    await manager.post('/api/BulkAction', { action: 'pause', workflowIds: [id] })
    await webhook.send({ number: 1 })
    await page.reload()
    await page.getByRole('note').getByText('Somebody paused its automatic runs.').waitFor()
    await page.getByRole('link', { name: 'Webhook 1' }).click()
    await page.getByRole('table', { name: 'Queue' }).waitFor()
  })

  it('lists requests that its webhook refused, with a way out', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, ['return 1'], { name: 'Guarded' })
    const webhook = await enableWebhook(manager, id)
    const refused = await sendRaw(webhook.url, toBytes({ number: 1 }), { 'X-Webhook-Secret': 'wrong' })
    expect(refused.status).toBe(401)
    const page = await visit.open(`/workflows/${id}?tab=webhook`)
    await page.getByRole('button', { name: 'Refused' }).click()
    const row = page.getByRole('table', { name: 'Refused' }).getByRole('row').nth(1)
    await row.getByText('401').waitFor()
    await row.getByText(/Compare the secret of the sender/).waitFor()
  })

  it('retries all failed runs of the list, and finds runs by day', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, ["throw new Error('no')"], { name: 'Twice' })
    await runToEnd(manager, id)
    await runToEnd(manager, id)
    const page = await visit.open(`/workflows/${id}?tab=runs&status=Error`)
    await page.getByRole('button', { name: 'Retry 2 runs' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await page
      .getByRole('dialog')
      .getByText(/It retries run 1\./)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('To', { exact: true }).fill('2001-01-01')
    await page.getByText('No run matches these filters.').waitFor()
  })
})

describe('failed items', () => {
  it('are found, opened in their run, and dismissed with a comment', async () => {
    const page = await visit.open('/failed-items')
    const table = page.getByRole('table', { name: 'Failed items' })
    await table.getByRole('link', { name: '4711' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).last().fill('4712')
    await table.getByRole('link', { name: '4711' }).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select 4712 of Shipments' }).check()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    const dialog = page.getByRole('dialog', { name: 'Dismiss 1 item?' })
    expect(await dialog.getByRole('button', { name: 'Dismiss' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Comment').fill('Sent by post.')
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('status').getByText('1 item dismissed.').waitFor()
    await page.goto('/failed-items')
    await table.getByRole('link', { name: '4711' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run 1 of Shipments' }).waitFor()
    await page.getByText('1 of 2 items needs attention').waitFor()
    await page.getByRole('table', { name: 'Items' }).getByRole('button', { name: '4711' }).click()
    const detail = page.getByRole('region', { name: 'Item 4711' })
    await detail.getByText('No stock of 4711').waitFor()
    await page.getByRole('button', { name: '2 failed' }).click()
  })

  it('are retried as they were, or corrected first', async () => {
    const page = await visit.open('/failed-items?q=4711')
    const table = page.getByRole('table', { name: 'Failed items' })
    await page.getByRole('checkbox', { name: 'Select 4711 of Shipments' }).check()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('status').getByText('It retries 1 item of run 1.').waitFor()
    await table.getByRole('link', { name: 'Run 2' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select 4711 of Shipments' }).check()
    await page.getByRole('button', { name: 'Edit and retry' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 4711 and retry' })
    await dialog.getByLabel('Item').fill('{ "id": 4711, ')
    await dialog.getByText('This is not valid JSON.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Item').fill('{ "id": 4711, "isBooked": true }')
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('No failed item matches.').waitFor()
  })
})
