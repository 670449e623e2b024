// Building with data: what one block gave in a test is what the next one is given, long before anything is deployed.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

const firstId = '0198c0de-0000-7000-8000-00000000a001'
const secondId = '0198c0de-0000-7000-8000-00000000a002'

async function newWorkflow(chain: object[]): Promise<string> {
  const answer = await visit.service.manager.post('/api/Workflow', { name: 'Samples', chain })
  return answer.body as string
}

const chainOfThree = [
  { uniqueBlockId: firstId, blockName: 'Orders', script: 'return [{ no: 7, total: 40 }, { no: 8, total: 2 }]' },
  {
    uniqueBlockId: secondId,
    blockName: 'Large ones',
    dataSources: [firstId],
    script: 'return Datasource[0].filter((order) => order.total > 10)',
  },
  { blockName: 'Numbers', dataSources: [secondId], script: 'return Datasource[0].map((order) => order.no)' },
]

const input = (page: Page) => page.getByRole('region', { name: 'Input' })
const result = (page: Page) => page.getByRole('region', { name: 'Result' })
const block = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })

describe('samples', () => {
  it('lets a newcomer build three blocks with data flowing from test to test, without deploying, in 12 clicks', async () => {
    const page = await visit.open('/workflows/new')
    let clicks = 0
    const click = async (target: Locator) => {
      clicks++
      await target.click()
    }
    const write = async (text: string) => {
      await click(page.getByRole('textbox', { name: 'Script' }))
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(text)
    }
    await page.getByLabel('Name').fill('Built by hand')
    await page.keyboard.press('Enter')
    await click(block(page, 'Code'))
    await write('return [{ name: "Ann", hours: 8 }, { name: "Bo", hours: 3 }]')
    await page.keyboard.press('ControlOrMeta+Enter')
    await result(page).getByText('"Ann"').waitFor()
    for (const [script, shown] of [
      ['return Datasource[0].filter((person) => person.hours > 4)', '8'],
      ['return Datasource[0].map((person) => person.name.toUpperCase())', '"ANN"'],
    ] as const) {
      await click(page.getByRole('button', { name: 'Add block' }))
      await click(page.getByRole('button', { name: /^Empty script/ }))
      await write(script)
      await page.keyboard.press('ControlOrMeta+Enter')
      await result(page).getByText(shown, { exact: true }).waitFor()
    }
    expect(clicks).toBeLessThanOrEqual(12)
    await page.context().close()
  })

  it('tests what is missing before a block, in order, and names the source of each input', async () => {
    const page = await visit.open(`/workflows/${await newWorkflow(chainOfThree)}`)
    await block(page, 'Numbers').click()
    await input(page).getByText('Large ones has no data yet.').waitFor()
    await input(page).getByRole('button', { name: 'Test up to here' }).click()
    await result(page).getByText('7', { exact: true }).waitFor()
    await input(page).getByText('Large ones').waitFor()
    await input(page).getByText('from your test').waitFor()
    await page.context().close()
  })

  it('says which block before failed', async () => {
    const chain = [{ ...chainOfThree[0], script: "throw new Error('no shop')" }, ...chainOfThree.slice(1)]
    const page = await visit.open(`/workflows/${await newWorkflow(chain)}`)
    await block(page, 'Numbers').click()
    await input(page).getByRole('button', { name: 'Test up to here' }).click()
    await result(page).getByText('Orders failed: no shop').waitFor()
    await page.context().close()
  })

  it('keeps a pin over a reload, shows it on the block, and never gives it to a run', async () => {
    const id = await newWorkflow(chainOfThree)
    const page = await visit.open(`/workflows/${id}`)
    await block(page, 'Orders').click()
    await page.getByRole('button', { name: 'Test block' }).click()
    await result(page).getByText('40').waitFor()
    await block(page, 'Large ones').click()
    await input(page).getByRole('button', { name: 'Pin the sample of Orders' }).click()
    await page.reload()
    await input(page).getByText('pinned').waitFor()
    await page.getByLabel('Its sample is pinned').waitFor()
    await visit.service.manager.post(`/api/Workflow/${id}`, {
      chain: [{ uniqueBlockId: firstId, script: 'return [{ no: 1234, total: 11 }]' }],
    })
    await visit.service.manager.get(`/api/DeployWorkflow/${id}`)
    await page.reload()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Run 1 of Samples' }).waitFor()
    await page.getByText('Ready', { exact: true }).first().waitFor()
    await page.getByRole('figure', { name: 'result' }).getByText('1234', { exact: true }).waitFor()
    await page.context().close()
  })

  it('puts the way to a field into the script, and completes its fields', async () => {
    const page = await visit.open(`/workflows/${await newWorkflow(chainOfThree)}`)
    await block(page, 'Orders').click()
    await page.getByRole('button', { name: 'Test block' }).click()
    await result(page).getByText('40').waitFor()
    await block(page, 'Large ones').click()
    const script = page.getByRole('textbox', { name: 'Script' })
    await script.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('return ')
    await input(page).getByRole('button', { name: 'total:' }).first().click()
    await script.getByText('return Datasource[0][0].total').waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('for (const order of Datasource[0]) order')
    await page.keyboard.type('.')
    await page.getByRole('option', { name: /^total/ }).waitFor()
    await page.context().close()
  })
})
