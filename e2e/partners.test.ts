// Partners and their customers: accounts, what each may do, applications that ask a person for access, alarms, usage.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../server/test/harness/eventually.ts'
import { startOAuthProvider, tokenPath } from '../server/test/harness/oauth-provider.ts'
import { startSmtpPeer } from '../server/test/harness/smtp-peer.ts'
import { deployWorkflow, runToEnd } from '../server/test/harness/workflows.ts'
import { settled } from './harness/settled.ts'
import { password, startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
beforeAll(async () => {
  smtp = await startSmtpPeer()
  visit = await startVisit({ PATCHBAY_SMTP_URL: smtp.url })
})
afterAll(async () => {
  await visit[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function createInConsole(page: Page, email: string, isActivated: boolean): Promise<void> {
  await page.getByRole('button', { name: 'New account' }).click()
  const dialog = page.getByRole('dialog', { name: 'New account' })
  await dialog.getByLabel('E-mail').fill(email)
  await dialog.getByLabel('First name').fill('Anna')
  await dialog.getByLabel('Last name').fill('Berg')
  if (isActivated) await dialog.getByLabel('Activate at once').check()
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function linkMailedTo(email: string): Promise<string> {
  const mail = await eventually(() => smtp.received.find((received) => received.to.includes(email)))
  const text = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return text.match(/https?:\/\/\S+/)?.[0] ?? ''
}

describe('a customer', () => {
  it('is made, managed, and its key is read once', async () => {
    const page = await visit.open('/accounts')
    await createInConsole(page, 'ready@example.com', true)
    await page
      .getByRole('table', { name: 'Accounts' })
      .getByRole('button', { name: 'Manage as ready@example.com' })
      .click()
    await page.getByRole('region', { name: 'Managed account' }).getByText('ready@example.com').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click()
    const menu = page.getByRole('button', { name: /^Actions for/ })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Show secret once' }).click()
    await page.getByRole('region', { name: 'New key' }).getByText(/^pbs_/).waitFor()
    await page.reload()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Show secret once' }).click()
    await page
      .getByRole('alert')
      .getByText(/was read already/)
      .waitFor()
    await page.context().close()
  })

  it('is invited by mail, activates, and sees what it may and nothing else', async () => {
    const page = await visit.open('/accounts')
    await createInConsole(page, 'invited@example.com', false)
    await page.context().close()
    const guest = await visit.open(await linkMailedTo('invited@example.com'), { isSignedOut: true })
    await heading(guest, 'Activate your account').waitFor()
    await guest.getByLabel('Password', { exact: true }).fill(password)
    await guest.getByLabel('Repeat password').fill(password)
    await guest.getByRole('button').click()
    await heading(guest, 'Home').waitFor()
    await guest.getByText('Build your first workflow').waitFor()
    for (const [path, name] of [
      ['/accounts', 'Accounts'],
      ['/audit', 'Audit'],
      ['/alarms', 'Alarms'],
      ['/usage', 'Usage'],
      ['/templates', 'Templates'],
    ] as const) {
      await guest.goto(path)
      await heading(guest, name).waitFor()
      await settled(guest)
      expect(await guest.getByRole('button', { name: 'All accounts' }).count(), path).toBe(0)
    }
    expect(await guest.getByRole('button', { name: 'New account' }).count()).toBe(0)
    // What is not allowed is said where it was asked for, with a way on.
    const foreign = await deployWorkflow(visit.service.manager, ['return 1'], { name: 'Of somebody else' })
    await guest.goto(`/workflows/${foreign.id}`)
    await heading(guest, 'Not found').waitFor()
    await guest.getByRole('main').getByRole('link', { name: 'Workflows' }).waitFor()
    await guest.goto('/upgrades')
    await guest
      .getByRole('alert')
      .getByText(/DevPartner/)
      .waitFor()
    await guest.context().close()
  })
})

describe('an application that asks for credentials', () => {
  it('is asked for those of the chosen kind of authentication, and no others', async () => {
    const page = await visit.open('/catalogue?q=HTTP')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Any REST service' })
      .getByRole('button', { name: 'Register' })
      .click()
    const panel = page.getByRole('complementary', { name: 'Register HTTP' })
    const labels = () => panel.locator('form label').allInnerTexts()
    await panel.getByLabel('Base address').fill('https://api.example.com')
    expect((await labels()).join()).not.toMatch(/User name|Token|Header/)
    await panel.getByLabel('Authentication').selectOption('basic')
    await panel.getByLabel('User name').waitFor()
    expect((await labels()).join()).not.toMatch(/Token|Header/)
    await panel.getByLabel('Authentication').selectOption({ label: 'Bearer' })
    await panel.getByLabel('Token').waitFor()
    expect((await labels()).join()).not.toMatch(/User name|Password|Header/)
    await page.context().close()
  })
})

describe('an application that asks a person', () => {
  it('is connected in a window of its own, and the page goes on by itself', async () => {
    const provider = await startOAuthProvider(`${visit.service.baseUrl}/oauth/callback`)
    visit.peers.push(provider.issuer)
    const page = await visit.open('/catalogue?q=OAUTH2')
    await page.getByRole('listitem').filter({ hasText: 'OAuth 2' }).getByRole('button', { name: 'Register' }).click()
    const panel = page.getByRole('complementary', { name: /^Register/ })
    const fields = {
      'Base address': `${provider.issuer}/v1.0`,
      'Authorization address': `${provider.issuer}/auth`,
      'Token address': `${provider.issuer}${tokenPath}`,
      'Client ID': provider.client.id,
      'Client secret': provider.client.secret,
      Scopes: 'openid orders',
    }
    for (const [label, value] of Object.entries(fields))
      await panel.getByLabel(label, { exact: false }).first().fill(value)
    const popup = page.waitForEvent('popup')
    await panel.getByRole('button', { name: 'Register' }).click()
    await (await popup).getByRole('heading', { level: 1, name: 'Connected' }).waitFor()
    await heading(page, 'Connections').waitFor()
    await page.getByText('Ready', { exact: true }).first().waitFor()
    await page.context().close()
    await provider[Symbol.asyncDispose]()
  })
})

describe('alarms and usage', () => {
  it('an expectation that does not hold is an alarm: seen in the bar, acknowledged, dismissed', async () => {
    const { manager } = visit.service
    const { id } = await deployWorkflow(manager, [{ blockName: 'Changed stock', script: 'return []' }], {
      name: 'Stock',
    })
    const page = await visit.open(`/alarms?expect=${id}`)
    const panel = page.getByRole('region', { name: 'Expectations' })
    await panel.getByRole('button', { name: 'Add' }).click()
    await panel.getByLabel('Expectation', { exact: true }).selectOption('itemsBetween')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'detached' })
    await runToEnd(manager, id)
    await page.getByRole('banner').getByRole('link', { name: '1 open alarm' }).click()
    const row = page.getByRole('table', { name: 'Alarms' }).getByRole('row', { name: /Stock/ })
    await row.getByText('manager@localhost').waitFor()
    await row.getByRole('button', { name: 'Acknowledge' }).click()
    await row.getByText('Acknowledged').first().waitFor()
    await row.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('No open alarms').waitFor()
    await page.goto('/usage')
    await page
      .getByRole('table', { name: 'Usage by account' })
      .getByRole('row', { name: /manager@localhost 1 1/ })
      .waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.csv$/)
    await page.context().close()
  })
})
