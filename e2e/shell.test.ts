// What surrounds every page: keys, palette, the managed account, what happens live.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
let workflowId: string
beforeAll(async () => {
  visit = await startVisit()
  const made = await visit.service.manager.post('/api/Workflow', {
    name: 'Nightly export',
    chain: [{ blockName: 'Only', script: 'return [1, 2, 3]' }],
  })
  workflowId = made.body
  await visit.service.manager.get(`/api/DeployWorkflow/${workflowId}`)
})
afterAll(() => visit[Symbol.asyncDispose]())

describe('without a mouse', () => {
  it('one finds a workflow, opens a block, tests it and runs it', async () => {
    const page = await visit.open('/')
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await heading('Home')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await heading('Connections')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await page.keyboard.type('nightly')
    await page.getByRole('option', { name: /Nightly export/ }).waitFor()
    await page.keyboard.press('Enter')
    await heading('Nightly export')

    const press = async (key: string, until: () => Promise<boolean>) => {
      for (let count = 0; count < 60 && !(await until()); count++) await page.keyboard.press(key)
    }
    const isOnBlock = () =>
      page.evaluate(
        () =>
          /^Only/.test((document.activeElement as HTMLElement).innerText) &&
          document.activeElement?.tagName === 'BUTTON',
      )
    await page.getByRole('button', { name: /^Only/ }).waitFor()
    await press('Tab', isOnBlock)
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Script' }).waitFor()
    await press('Tab', () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Script'))
    await page.keyboard.press('Control+Enter')
    await page
      .getByRole('status')
      .getByText(/^Test took/)
      .waitFor()
    await page.context().close()
  })
})

describe('what happens', () => {
  it('is shown while one looks', async () => {
    const page = await visit.open(`/workflows/${workflowId}?tab=runs`)
    await page.getByText('No runs yet').waitFor()
    await visit.service.manager.post('/api/RunWorkflow', { workflowId })
    const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'Ready' })
    await row.getByRole('cell', { name: '1', exact: true }).waitFor()
    await page.context().close()
  })
})

describe('a lost connection', () => {
  it('is said, and heals by itself; what was asked meanwhile did not happen twice', async () => {
    const page = await visit.open(`/workflows/${workflowId}`)
    const before = await visit.service.manager.post(`/api/GetRunHistory/${workflowId}`, { page: 0, size: 1 })
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const banner = page.getByText('The connection to Patchbay is lost.')
    await banner.waitFor()
    await page.context().setOffline(false)
    await banner.waitFor({ state: 'detached' })
    const after = await visit.service.manager.post(`/api/GetRunHistory/${workflowId}`, { page: 0, size: 1 })
    expect(after.body.total).toBe(before.body.total)
    await page.context().close()
  })
})

describe('managing another account', () => {
  it('is said across the page for as long as it lasts, and ends with one button', async () => {
    await visit.service.manager.post('/api/Account', {
      email: 'anna@example.com',
      firstName: 'Anna',
      lastName: 'Berg',
      roleName: 'User',
      activated: true,
    })
    const page = await visit.open('/workflows')
    await page.getByRole('link', { name: 'Nightly export' }).waitFor()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Manage as/ })
      .click()
    await page.getByRole('button', { name: 'Manage as anna@example.com' }).click()
    const strip = page.getByRole('region', { name: 'Managed account' })
    await strip.getByText('anna@example.com').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows' }).click()
    await page.getByText('No workflows yet').waitFor()
    expect(new URL(page.url()).searchParams.get('as')).toBeTruthy()
    await strip.getByRole('button', { name: 'Stop managing' }).click()
    await strip.waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows' }).click()
    await page.getByRole('link', { name: 'Nightly export' }).waitFor()
    await page.context().close()
  })
})
