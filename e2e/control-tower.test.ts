// Everybody's workflows in one table: what fails, what waits, and doing the same to many of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../server/test/harness/accounts.ts'
import { deployWorkflow, endOf, runToEnd } from '../server/test/harness/workflows.ts'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
let customer: Awaited<ReturnType<typeof createAccount>>
let failing: { id: string }

beforeAll(async () => {
  visit = await startVisit()
  const { service } = visit
  customer = await createAccount(service, service.manager, 'User')
  failing = await deployWorkflow(customer.client, ["throw new Error('The shop is closed')"], { name: 'Orders to shop' })
  await runToEnd(customer.client, failing.id)
  const calm = await deployWorkflow(service.manager, ['return 1'], { name: 'Nightly report' })
  await runToEnd(service.manager, calm.id)
})
afterAll(() => visit[Symbol.asyncDispose]())

describe('the control tower', () => {
  it('shows every workflow with its customer, in the order that one presses, and opens it for that customer', async () => {
    const page = await visit.open('/workflows')
    const rows = page.getByRole('table', { name: 'Workflows' }).getByRole('row')
    await rows.filter({ hasText: 'Nightly report' }).waitFor()
    await page.getByRole('button', { name: 'All accounts' }).click()
    await rows.filter({ hasText: customer.email }).waitFor()
    await page.getByRole('button', { name: 'Workflow', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Workflow', exact: true, includeHidden: false }).waitFor()
    await page.waitForURL(/sort=name/)
    await rows.nth(1).getByText('Nightly report').waitFor()
    await page.getByRole('button', { name: 'Workflow', exact: true }).click()
    await rows.nth(1).getByText('Orders to shop').waitFor()
    await page.getByRole('link', { name: 'Orders to shop' }).click()
    await page.getByRole('region', { name: 'Managed account' }).getByText(customer.email).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Orders to shop' }).waitFor()
  })

  it('has views that are addresses, and keeps those that a person names', async () => {
    const page = await visit.open('/workflows?all=true')
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: 'Failing' }).click()
    await page.waitForURL(/last=Error/)
    const table = page.getByRole('table', { name: 'Workflows' })
    await table.getByRole('link', { name: 'Orders to shop' }).waitFor()
    await table.getByRole('link', { name: 'Nightly report' }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search' }).last().fill('orders')
    await page.waitForURL(/q=orders/)
    await views.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Failing orders')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await views.getByRole('link', { name: 'All', exact: true }).click()
    await table.getByRole('link', { name: 'Nightly report' }).waitFor()
    await views.getByRole('link', { name: 'Failing orders' }).click()
    await page.waitForURL(/q=orders/)
    expect(new URL(page.url()).searchParams.get('last')).toBe('Error')
    await views.getByRole('button', { name: 'Forget the view Failing orders' }).click()
    await views.getByRole('button', { name: 'Save view' }).waitFor()
  })
})

describe('an action for many', () => {
  it('says what it will do to each, does it, and tells what came of it', async () => {
    const page = await visit.open('/workflows?all=true&sort=name&ascending=true')
    const table = page.getByRole('table', { name: 'Workflows' })
    await table.getByRole('row').filter({ hasText: customer.email }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Retry failed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry failed 1 workflow?' })
    await dialog.getByText('Run 1 will be retried from the block that failed.').waitFor()
    await dialog.getByText('Its latest run did not fail.').waitFor()
    await dialog.getByRole('button', { name: 'Retry failed' }).click()
    await page.getByRole('status').getByText('1 workflow retried.').waitFor()
    await endOf(customer.client, failing.id, 2)
  })

  it('tags with a word that is typed', async () => {
    const page = await visit.open('/workflows?all=true')
    await page.getByRole('checkbox', { name: 'Select Orders to shop' }).check()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tag').fill('pilot')
    await dialog.getByText('The tag "pilot" will be added.').waitFor()
    await dialog.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('status').getByText('1 workflow tagged.').waitFor()
    await page.goto('/workflows?all=true&tag=pilot')
    await page.getByRole('table', { name: 'Workflows' }).getByRole('link', { name: 'Orders to shop' }).waitFor()
  })
})
