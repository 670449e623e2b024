// Days on which something is wrong or too large: every page stays usable and says what happened.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deployWorkflow, runToEnd } from '../server/test/harness/workflows.ts'
import { settled } from './harness/settled.ts'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

describe('two people who edit one workflow', () => {
  it('the second is told, also after the page has read the workflow anew, and compares before saving', async () => {
    const { manager } = visit.service
    const workflow = await deployWorkflow(manager, [{ blockName: 'Only', script: 'return 1' }], { name: 'Shared' })
    const page = await visit.open(`/workflows/${workflow.id}`)
    await page.getByRole('button', { name: /^Only/ }).click()
    await write(page, 'return 2')
    await manager.post(`/api/Workflow/${workflow.id}`, {
      name: 'Shared by two',
      chain: [{ uniqueBlockId: workflow.blocks[0], script: 'return 3' }],
    })
    // The stream has told of the change and the page shows it; the draft still belongs to the revision before.
    await heading(page, 'Shared by two').waitFor()
    await page.getByText('Unsaved: Only changed').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else saved this workflow' })
    await dialog.getByRole('button', { name: 'Compare' }).click()
    const compared = page.getByRole('dialog', { name: 'Compare with what is saved' })
    await compared.getByText('return 3').waitFor()
    await compared.getByText('return 2').waitFor()
    const scriptNow = async () => (await manager.get(`/api/Workflow/${workflow.id}`)).body.chain[0].script
    expect(await scriptNow()).toBe('return 3')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    expect(await scriptNow()).toBe('return 2')
    await page.context().close()
  })
})

describe('a refusal', () => {
  it('stands at the field it is about, and nothing typed is lost', async () => {
    const page = await visit.open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label').fill('export')
    const addresses = page.getByLabel('Allowed from')
    await addresses.fill('300.1.2.3')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'New key' }).getByRole('alert').waitFor()
    expect(await addresses.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByLabel('Label').inputValue()).toBe('export')
    await page.context().close()
  })

  it('of a thing of somebody else is a page with a way out', async () => {
    const page = await visit.open('/workflows/0198c0de-0000-7000-8000-00000000dead')
    await heading(page, 'Not found').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Workflows' }).click()
    await heading(page, 'Workflows').waitFor()
    await page.context().close()
  })
})

describe('large things', () => {
  it('names without an end fit a phone, and a panel leaves its buttons within reach and says what they found', async () => {
    const { manager } = visit.service
    const block = { blockName: 'B'.repeat(200), script: 'return 1' }
    const { id } = await deployWorkflow(manager, [block], { name: 'N'.repeat(200) })
    await runToEnd(manager, id)
    const page = await visit.open('/', { viewport: { width: 390, height: 844 } })
    for (const path of ['/workflows', `/workflows/${id}`, `/workflows/${id}?tab=settings`, `/workflows/${id}/runs/1`]) {
      await page.goto(path)
      await settled(page)
      expect(await isTooWide(page), path).toBe(false)
    }
    const applications = (await manager.get('/api/Applications')).body as { id: string; shortName: string }[]
    const applicationId = applications.find(({ shortName }) => shortName === 'TEST')?.id
    const connection = await manager.post('/api/RegApplication', { applicationId, credentialsJson: '{}' })
    await page.goto(`/connections?id=${connection.body}`)
    await page.getByRole('button', { name: 'Test now' }).click()
    await page
      .getByRole('status')
      .getByText(/was tested and works\.$/)
      .waitFor()
    const lost = await manager.post('/api/RegApplication', {
      applicationId: applications.find(({ shortName }) => shortName === 'WooCommerce')?.id,
      credentialsJson: JSON.stringify({ storeUrl: 'http://127.0.0.1:1', consumerKey: 'ck', consumerSecret: 'cs' }),
    })
    await page.goto(`/connections?id=${lost.body}`)
    await page.getByRole('button', { name: 'Test now' }).click()
    await page
      .getByRole('alert')
      .getByText(/^WooCommerce does not work: .*could not be reached/)
      .waitFor()
    await page.context().close()
  })

  it('two hundred blocks are drawn, and one of them opens', async () => {
    const blocks = Array.from({ length: 200 }, (_, index) => ({
      blockName: `Step ${index + 1}`,
      script: `return ${index + 1}`,
      after: index < 10 ? [] : [index - 9],
    }))
    const workflow = await deployWorkflow(visit.service.manager, blocks, { name: 'Two hundred' })
    const page = await visit.open(`/workflows/${workflow.id}?block=${workflow.blocks[199]}`)
    await page.getByRole('textbox', { name: 'Script' }).getByText('return 200').waitFor()
    await page.getByRole('button', { name: 'Fit to view' }).click()
    await page
      .getByRole('button', { name: /^Step 1\b/ })
      .first()
      .waitFor()
    await page.context().close()
  })

  it('a result of almost 5 MiB opens as a tree, and a log of 100,000 lines keeps few of them in the page', async () => {
    const workflow = await deployWorkflow(visit.service.manager, [
      "for (let no = 1; no <= 100000; no++) console.log(no)\nreturn Array.from({ length: 38000 }, (_, no) => ({ no, text: 'x'.repeat(100) }))",
    ])
    await runToEnd(visit.service.manager, workflow.id)
    const page = await visit.open(`/workflows/${workflow.id}/runs/1`)
    const tree = page.getByRole('figure', { name: 'result' })
    await tree.getByText('38000', { exact: true }).waitFor()
    await tree.getByRole('button', { name: 'Show 500 more of 38000' }).click()
    await page.getByRole('button', { name: 'Log', exact: true }).click()
    const log = page.getByRole('log', { name: 'Log' })
    await log.getByText('1', { exact: true }).first().waitFor()
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    // The service keeps 20,000 lines and says so in the last.
    await log.getByText(/The log is cut off here/).waitFor()
    expect(await log.locator('[data-index]').count()).toBeLessThan(200)
    await page.context().close()
  })
})

describe('a script that never ends', () => {
  it('can be stopped, and its time-out is told', async () => {
    const { manager } = visit.service
    // It goes on until the page has said what it has to say of the stop.
    const busy = 'while (!myVault.contains("go")) for (const end = Date.now() + 50; Date.now() < end; );'
    const stopped = await deployWorkflow(manager, [busy], { name: 'Busy' })
    const page = await visit.open(`/workflows/${stopped.id}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await heading(page, 'Run 1 of Busy').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopping', { exact: true }).first().waitFor()
    await manager.post(`/api/MyVaultSet/${stopped.id}/go`, { jsonData: true })
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    const spinning = await deployWorkflow(manager, ['while (true) {}'], { name: 'Spinning', timeoutSeconds: 4 })
    await page.goto(`/workflows/${spinning.id}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await heading(page, 'Run 1 of Spinning').waitFor()
    await page
      .getByRole('alert')
      .getByText(/exceeded its time limit/)
      .waitFor()
    await page.context().close()
  })
})
