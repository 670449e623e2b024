import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstLink, password, startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

describe('the first visit', () => {
  it('starts with the printed link, asks for a password, and ends on Home', async () => {
    const page = await visit.open('/', { isSignedOut: true })
    // Who comes without the link is told of it, until somebody has used it.
    const hint = page.getByText('First visit? Open the link')
    await hint.waitFor()
    await page.goto(firstLink(visit.service))
    await page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Repeat password').fill(password)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    for (const landmark of ['banner', 'main'] as const) expect(await page.getByRole(landmark).count()).toBe(1)
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(1)

    // The way back in, to the page that was asked for.
    await page.getByRole('button', { name: 'Account manager@localhost' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(await hint.count()).toBe(0)
    await page.goto('/workflows?scheduled=true')
    await page.getByLabel('E-mail').fill(visit.service.firstAccount.email)
    await page.getByLabel('Password').fill('not the right password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor()
    expect(new URL(page.url()).search).toBe('?scheduled=true')
  })

  it('lets nobody see the console who is not signed in', async () => {
    const page = await visit.open('/workflows', { isSignedOut: true })
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/signin')
  })
})

describe('a session that ends', () => {
  it('is renewed over the page, which keeps what was typed', async () => {
    const page = await visit.open('/signin', { isSignedOut: true })
    await page.getByLabel('E-mail').fill(visit.service.firstAccount.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const { body: id } = await visit.service.manager.post('/api/Workflow', {
      name: 'Long evening',
      chain: [{ blockName: 'Only', script: 'return 1' }],
    })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /^Only/ }).click()
    await page.getByRole('textbox', { name: 'Script' }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('return "an hour of work"')
    await visit.service.asOwner('delete from sessions')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const panel = page.getByRole('dialog', { name: 'Sign in again' })
    await panel.getByLabel('Password').fill('not the right password')
    await panel.getByRole('button', { name: 'Sign in' }).click()
    await panel.getByRole('alert').waitFor()
    await panel.getByLabel('Password').fill(password)
    await panel.getByRole('button', { name: 'Sign in' }).click()
    await panel.waitFor({ state: 'detached' })
    // What was asked for goes on by itself, with what was typed.
    await page.getByRole('status').getByText('Saved.').waitFor()
    const { body } = await visit.service.manager.get(`/api/Workflow/${id}`)
    expect(body.chain[0].script).toBe('return "an hour of work"')
  })
})
