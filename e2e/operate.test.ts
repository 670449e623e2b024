// What people do from day to day: watch a queue, replay, find an order, act for a customer, look into the vault, open a share.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../server/test/harness/accounts.ts'
import { eventually } from '../server/test/harness/eventually.ts'
import { enableWebhook, historyOf, sendRaw, toBytes } from '../server/test/harness/webhooks.ts'
import { createWorkflow, deployWorkflow } from '../server/test/harness/workflows.ts'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

describe('a webhook', () => {
  it('is seen in the queue with payload and headers, is skipped, and is replayed from the history', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, ['return webhook.body'])
    const webhook = await enableWebhook(manager, id)
    const page = await visit.open(`/workflows/${id}?tab=webhook`)
    await page.getByRole('button', { name: 'Hold all' }).click()
    await page.getByText('Held', { exact: true }).waitFor()
    await webhook.send({ number: 4711, customer: 'anna@example.com' }, { 'X-Shop': 'north' })
    const queue = page.getByRole('table', { name: 'Queue' })
    await queue.getByRole('button', { name: /^Show request/ }).click()
    const request = page.getByRole('region', { name: 'Request', exact: true })
    await request.getByText('"anna@example.com"').waitFor()
    await request.getByRole('row', { name: 'x-shop north' }).waitFor()
    await request.getByRole('button', { name: 'Skip' }).click()
    await page.getByText('The queue is empty').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    const line = page.getByRole('table', { name: 'History' }).getByRole('row').nth(1)
    await line.getByText('Skipped', { exact: true }).waitFor()
    await line.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('link', { name: 'Run 1' }).click()
    await page.getByRole('heading', { level: 1, name: /^Run 1 of/ }).waitFor()
    expect((await historyOf(manager, id)).length).toBe(1)
  })

  it('takes the secret of its sender', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, ['return webhook.body'])
    const webhook = await enableWebhook(manager, id)
    const page = await visit.open(`/workflows/${id}?tab=webhook`)
    await page.getByRole('button', { name: /^How requests are handled/ }).click()
    await page.getByLabel('New secret').fill('secret of the shop')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const taken = await sendRaw(webhook.url, toBytes({ number: 1 }), { 'X-Webhook-Secret': 'secret of the shop' })
    expect(taken.status, taken.text).toBe(200)
    expect((await webhook.send({ number: 2 })).status).toBe(200)
  })
})

describe('the demo', () => {
  it('leaves a service alone that holds data of its own', async () => {
    const { baseUrl, firstAccount } = visit.service
    const env = {
      ...process.env,
      PATCHBAY_URL: baseUrl,
      PATCHBAY_CONSUMER: firstAccount.consumer,
      PATCHBAY_SECRET_KEY: firstAccount.secretKey,
    }
    await createWorkflow(visit.service.manager, ['return 1'], { name: 'Of our own' })
    const { status, stderr } = await runDemo(env)
    expect(stderr).toMatch(/already holds data \(\d+ workflows\)/)
    expect(status).toBe(1)
  })
})

function runDemo(env: NodeJS.ProcessEnv): Promise<{ status: number | null; stderr: string }> {
  const path = fileURLToPath(new URL('../demo/main.ts', import.meta.url))
  const child = spawn(process.execPath, [path], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((done) => child.on('close', (status) => done({ status, stderr })))
}

describe('several workflows', () => {
  it('are deployed at once, after a look at what happens to each', async () => {
    const { manager } = visit.service
    const fresh = await createWorkflow(manager, ['return 1'], { name: 'Bulk one' })
    await deployWorkflow(manager, ['return 2'], { name: 'Bulk two' })
    const page = await visit.open('/workflows?q=Bulk')
    await page.getByRole('row', { name: /Bulk two/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Deploy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deploy 1 workflow?' })
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'Bulk one' })
      .getByText('Revision 1 will be deployed.')
      .waitFor()
    await dialog.getByRole('listitem').filter({ hasText: 'Bulk two' }).getByText('It is deployed already.').waitFor()
    await dialog.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('status').getByText('1 workflow deployed.').waitFor()
    expect((await manager.get(`/api/Workflow/${fresh.id}`)).body.workflowState).toBe('deployed')
  })
})

describe('search', () => {
  it('leads from an order number to its run', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, [
      "console.log('read SO-98231')\nreturn { order: 'SO-98231', total: 12 }",
    ])
    await manager.post('/api/RunWorkflow', { workflowId: id })
    await eventually(async () => {
      const found = await manager.post('/api/SearchRuns', { searchTerm: 'SO-98231' })
      return found.body.items.length > 1
    })
    const page = await visit.open('/search?q=SO-98231')
    const found = page.getByRole('table', { name: 'Runs and webhook requests' })
    // Found in the log and in the result, it is one run all the same.
    await found.getByText('2 places').waitFor()
    await found.getByRole('link', { name: /run 1$/ }).click()
    await page.getByRole('heading', { level: 1, name: /^Run 1 of/ }).waitFor()
  })
})

describe('accounts', () => {
  it('are managed from the list, and the strip says so until it stops', async () => {
    const { email } = await createAccount(visit.service, visit.service.manager, 'User')
    const page = await visit.open('/accounts')
    await page
      .getByRole('table', { name: 'Accounts' })
      .getByRole('button', { name: `Manage as ${email}` })
      .click()
    const strip = page.getByRole('region', { name: 'Managed account' })
    await strip.getByText(email).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await strip.getByRole('button', { name: 'Stop managing' }).click()
    await strip.waitFor({ state: 'detached' })
  })
})

describe('the vault', () => {
  it('shows a value only when asked, and the audit log says who looked', async () => {
    const { manager, firstAccount } = visit.service
    await manager.post(`/api/MyVaultSetGlobal/${firstAccount.accountId}/pin`, { jsonData: 'swordfish' })
    const page = await visit.open('/vault')
    const row = page.getByRole('row', { name: /pin/ })
    await row.waitFor()
    expect(await page.content()).not.toContain('swordfish')
    await row.getByRole('button', { name: 'Show' }).click()
    await page.getByText('"swordfish"').waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.goto('/audit')
    await page.getByRole('table', { name: 'Audit' }).getByText('Vault read').first().waitFor()
  })
})

describe('keys', () => {
  it('show their secret once', async () => {
    const page = await visit.open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label').fill('nightly export')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('region', { name: 'New key' }).getByText(/^pbs_/).waitFor()
    await page.reload()
    await page.getByRole('row', { name: /nightly export/ }).waitFor()
    expect(await page.getByText(/^pbs_/).count()).toBe(0)
  })
})

describe('a share', () => {
  it('is made here, and opened with its code and with no other', async () => {
    const page = await visit.open('/shares?upload=true')
    await page
      .getByLabel('Files')
      .setInputFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer: Buffer.from('a;b\n1;2\n') })
    await page.getByLabel('E-mail').fill('auditor@example.com')
    await page.getByLabel('Code').fill('open-sesame')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('row', { name: /stock\.csv/ }).waitFor()
    const [share] = (await visit.service.manager.get('/api/SecureShares')).body
    const guest = await visit.open(`/secure-share/secure-download?shareid=${share.id}`, { isSignedOut: true })
    await guest.getByLabel('Code').fill('wrong')
    await guest.getByRole('button', { name: 'Show the files' }).click()
    await guest.getByRole('alert').waitFor()
    await guest.getByLabel('Code').fill('open-sesame')
    await guest.getByRole('button', { name: 'Show the files' }).click()
    const download = guest.waitForEvent('download')
    await guest.getByRole('button', { name: 'Download stock.csv' }).click()
    expect((await download).suggestedFilename()).toBe('stock.csv')
  })
})
