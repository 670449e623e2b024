// The bad day: Home groups by cause, and one button repairs each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../server/test/harness/accounts.ts'
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
        script: "throw new Error('No stock of ' + itemKey)",
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
  })
})
