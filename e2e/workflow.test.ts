// The way of an integrator: from a template to a result, and from a broken script to a run that goes on.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
/** As a person does it; filling at once would let the browser's own editing add styles, which the policy refuses. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}
const status = (page: Page, word: string) => page.getByText(word, { exact: true }).first()

describe('from a template', () => {
  it('connects, deploys with a schedule, runs and reads the result', async () => {
    const page = await visit.open('/templates')
    const card = page.getByRole('listitem').filter({ hasText: 'Hello world' })
    await card.getByRole('link', { name: 'Use template' }).click()
    await heading(page, 'New workflow').waitFor()
    await page.getByLabel('Name').fill('My greeting')
    // Nothing is registered yet, so it is done on the way.
    await page.getByRole('button', { name: 'Register' }).click()
    const panel = page.getByRole('complementary', { name: /^Register/ })
    await panel.getByLabel('Label').fill('Sample data')
    await panel.getByRole('button', { name: 'Register' }).click()
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Starts').selectOption({ label: 'Every hour' })
    await page.getByRole('button', { name: 'Deploy' }).click()
    await heading(page, 'My greeting').waitFor()
    await status(page, 'Deployed').waitFor()
    await page.getByRole('heading', { name: /^Next runs/ }).waitFor()
    await status(page, 'Every hour').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await heading(page, 'Run 1 of My greeting').waitFor()
    await status(page, 'Ready').waitFor()
    await page.getByRole('figure', { name: 'result' }).getByText('Hello', { exact: false }).first().waitFor()

    // The run is in the list, by its number.
    await page.getByRole('link', { name: 'My greeting' }).click()
    await page.getByRole('table', { name: 'Runs' }).getByRole('cell', { name: '1', exact: true }).waitFor()
    await page.context().close()
  })
})

describe('a script that breaks', () => {
  it('is seen, tested, fixed and retried from the block that failed', async () => {
    const id = await visit.service.manager
      .post('/api/Workflow', {
        name: 'Fragile',
        chain: [
          { uniqueBlockId: '0198c0de-0000-7000-8000-000000000001', blockName: 'Count', script: 'return [1, 2, 3]' },
          {
            blockName: 'Double',
            dataSources: ['0198c0de-0000-7000-8000-000000000001'],
            script: "throw new Error('the unit is missing')",
          },
        ],
      })
      .then((answer) => answer.body as string)
    await visit.service.manager.get(`/api/DeployWorkflow/${id}`)
    const page = await visit.open(`/workflows/${id}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await heading(page, 'Run 1 of Fragile').waitFor()
    // The failed block is open already, with its sentence on top.
    await page.getByRole('alert').getByText('the unit is missing').waitFor()
    await page.getByRole('link', { name: 'Edit block' }).click()

    await write(page, 'return Datasource[0].map((number) => number * 2)')
    await page.getByRole('button', { name: 'Test block' }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('6', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()

    await page.getByRole('link', { name: 'Back to run 1' }).click()
    await page.getByRole('button', { name: 'Retry' }).click()
    await heading(page, 'Run 2 of Fragile').waitFor()
    await status(page, 'Ready').waitFor()
    await page.getByRole('figure', { name: 'result' }).getByText('6', { exact: true }).waitFor()
    await page.context().close()
  })
})
