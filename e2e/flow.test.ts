// Conditions, retries and failures of a block, set in words and seen on the canvas.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

const ordersId = '0198c0de-0000-7000-8000-00000000b001'

async function openShip(): Promise<{ page: Page; id: string }> {
  const answer = await visit.service.manager.post('/api/Workflow', {
    name: 'Ship orders',
    chain: [
      { uniqueBlockId: ordersId, blockName: 'Orders', script: 'return [{ no: 7 }, { no: 8 }]' },
      { blockName: 'Ship', dataSources: [ordersId], script: 'return Datasource[0].length' },
    ],
  })
  const id = answer.body as string
  const page = await visit.open(`/workflows/${id}`)
  await page.getByRole('button', { name: /^Orders/ }).click()
  await page.getByRole('button', { name: 'Test block' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('7', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Ship/ }).click()
  await page.getByRole('button', { name: 'Flow', exact: true }).click()
  return { page, id }
}

describe('the flow of a block', () => {
  it('is tried against the sample as one types, saved, and shown as badges', async () => {
    const { page, id } = await openShip()
    const condition = page.getByRole('group', { name: 'When it runs' }).getByLabel('Only if')
    await condition.fill('Datasource[0].length > 5')
    await page.getByText('False with the sample: the block is skipped.').waitFor()
    await condition.fill('Datasource[0].length > ')
    await page
      .getByRole('alert')
      .getByText(/Unexpected/)
      .waitFor()
    await condition.fill('Datasource[0].length > 1')
    await page.getByText('True with the sample: the block runs.').waitFor()
    await page.getByLabel('Try again').check()
    await page.getByLabel('Then', { exact: true }).selectOption({ label: 'The run continues without its result' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    await page.getByRole('img', { name: 'Only if Datasource[0].length > 1' }).waitFor()
    await page.getByRole('img', { name: 'Up to 3 retries' }).waitFor()
    const { body } = await visit.service.manager.get(`/api/Workflow/${id}`)
    expect(body).toMatchObject({
      chain: [{ runWhen: null }, { runWhen: 'Datasource[0].length > 1', retry: { times: 3 }, onError: 'continue' }],
    })
    await page.context().close()
  })
})

describe('leaving', () => {
  it('asks in a dialog of its own while changes are not saved', async () => {
    const { page } = await openShip()
    await page.getByLabel('Try again').check()
    await page.getByRole('link', { name: 'Home' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText(/^Unsaved/).waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.context().close()
  })
})

describe('the keys', () => {
  it('are listed behind a question mark', async () => {
    const page = await visit.open('/')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('g w').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.context().close()
  })
})
