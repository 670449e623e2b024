// What surrounds every page: keys, palette, the managed account, what happens live.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled } from './harness/settled.ts'
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

/** Presses Tab until the thing with this name has the focus, as somebody without a mouse gets there. */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press(key)
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement
      if (element === document.body) return ''
      if (element.isContentEditable) return `Editor: ${element.getAttribute('aria-label')}`
      return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText
    })
    if (name.test(focused)) return
    passed.push(focused.slice(0, 30))
  }
  throw new Error(`The keyboard does not reach ${name}, only ${passed.join(', ')}.`)
}

describe('without a mouse', () => {
  it('one finds a page, builds a workflow, tests, saves, deploys and runs it, and reads the result', async () => {
    const page = await visit.open('/')
    const { keyboard } = page
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await heading('Home')
    await keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await keyboard.type('nightly')
    await page.getByRole('option', { name: /Nightly export/ }).waitFor()
    await keyboard.press('Enter')
    await heading('Nightly export')
    await keyboard.press('g')
    await keyboard.press('w')
    await heading('Workflows')
    await tabTo(page, /^New workflow$/)
    await keyboard.press('Enter')
    await heading('New workflow')
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await tabTo(page, /^Name/)
    await keyboard.type('By keyboard')
    await keyboard.press('Enter')
    await heading('By keyboard')

    await page.getByRole('button', { name: /^Code/ }).waitFor()
    await tabTo(page, /^Code/)
    await keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Script' }).waitFor()
    await tabTo(page, /^Editor: Script$/)
    await keyboard.press('ControlOrMeta+A')
    await keyboard.insertText('return [2, 3, 5]')
    await keyboard.press('Control+Enter')
    const status = page.getByRole('status')
    await status.getByText(/^Test took/).waitFor()
    await keyboard.press('Control+s')
    await status.getByText('Saved.').waitFor()

    // Tab belongs to the script; Escape gives it back.
    await keyboard.press('Escape')
    await tabTo(page, /^Deploy$/, 'Shift+Tab')
    await keyboard.press('Enter')
    await page.getByText('Deployed', { exact: true }).first().waitFor()
    // What comes next stands where the focus is.
    await page.getByRole('button', { name: 'Run', exact: true }).and(page.locator(':focus')).waitFor()
    await keyboard.press('Enter')
    await heading('Run 1 of By keyboard')
    await page.getByRole('figure', { name: 'result' }).getByText('5', { exact: true }).waitFor()
    await tabTo(page, /^Log$/)
    await keyboard.press('Enter')
    await page.getByText('Nothing was written to the log.').waitFor()
    await page.context().close()
  })
})

describe('the first page', () => {
  it('comes with at most 200 KB of script', async () => {
    const page = await visit.open('/')
    await settled(page)
    const bytes = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    )
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(bytes).toBeLessThanOrEqual(200 * 1024)
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
