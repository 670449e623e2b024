// Every page of the console, in light and dark: no violation of WCAG A and AA that axe can see, on real data.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../server/test/harness/client.ts'
import { eventually } from '../server/test/harness/eventually.ts'
import { createTemplate, newBlock } from '../server/test/harness/templates.ts'
import { startUpgrade, upgradeIn } from '../server/test/harness/upgrades.ts'
import { shareFiles } from '../server/test/harness/upload.ts'
import { enableWebhook } from '../server/test/harness/webhooks.ts'
import { settled } from './harness/settled.ts'
import { startVisit, type Visit } from './harness/visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const block = '0198c0de-0000-7000-8000-000000000001'
/** Words in capitals stand for ids that exist. */
const pages = [
  '/',
  '/workflows',
  '/workflows?all=true',
  '/failed-items',
  '/approvals',
  '/workflows/new',
  '/workflows/new?template=TEMPLATE',
  `/workflows/WORKFLOW?block=${block}`,
  '/workflows/WORKFLOW?replay=true',
  ...['variables', 'connections', 'schedule', 'webhook', 'runs', 'revisions', 'settings'].map(
    (tab) => `/workflows/WORKFLOW?tab=${tab}`,
  ),
  '/workflows/WORKFLOW/runs/1',
  '/connections?id=CONNECTION',
  '/catalogue?register=APPLICATION',
  '/templates',
  '/templates/TEMPLATE',
  '/upgrades',
  '/upgrades?template=FOLLOWED',
  '/upgrades?template=FOLLOWED&workflow=CONFLICTING',
  '/upgrades/ROLLEDOUT',
  '/nothing-here',
  '/signin',
  '/forgot-password',
  '/search?q=order',
  '/keys',
  '/accounts',
  '/audit',
  '/vault',
  '/mail',
  '/shares?upload=true',
  '/alarms?expect=choose',
  '/usage',
  '/reference',
  '/docs',
  '/docs/webhooks',
  '/set-password?token=wrong',
  '/activate?token=wrong',
  '/oauth/callback?state=wrong',
  '/secure-share/secure-download?shareid=SHARE',
]

/** What lies over a page: opened as a person does it. */
const dialogs: readonly [what: string, path: string, open: (page: Page) => Promise<void>][] = [
  ['new key', '/keys', (page) => page.getByRole('button', { name: 'New key' }).first().click()],
  ['new account', '/accounts', (page) => page.getByRole('button', { name: 'New account' }).click()],
  ['set a value', '/vault', (page) => page.getByRole('button', { name: 'Set a value' }).first().click()],
  ['search', '/', (page) => page.keyboard.press('Control+k')],
  ['add block', '/workflows/WORKFLOW', (page) => page.getByRole('button', { name: 'Add block' }).click()],
  [
    'delete',
    '/workflows/WORKFLOW?tab=runs',
    async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    },
  ],
  [
    'bulk action',
    '/workflows',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
      await page.getByRole('button', { name: 'Archive' }).click()
    },
  ],
  [
    'inbox with a request and its settings',
    '/workflows/WORKFLOW?tab=webhook',
    async (page) => {
      await page.getByRole('button', { name: /^How requests are handled/ }).click()
      await page.getByRole('button', { name: /^Show request/ }).click()
      await page.getByRole('region', { name: 'Request', exact: true }).getByText('4711').waitFor()
    },
  ],
]

const isPublic = /signin|password|activate|oauth|secure-share/

let visit: Visit
const ids: Record<string, string> = {}
beforeAll(async () => {
  visit = await startVisit()
  Object.assign(ids, await seed(visit))
})
afterAll(() => visit[Symbol.asyncDispose]())

async function seed({ service }: Visit): Promise<Record<string, string>> {
  const { manager } = service
  const applications = (await manager.get('/api/Applications')).body as { id: string; shortName: string }[]
  const templates = (await manager.get('/api/WorkflowTemplates')).body as { id: string; applications: string[] }[]
  const testId = applications.find(({ shortName }) => shortName === 'TEST')?.id as string
  const connection = (await manager.post('/api/RegApplication', { applicationId: testId, credentialsJson: '{}' })).body
  const workflow = await manager.post('/api/Workflow', {
    name: 'Orders',
    applications: { TEST: connection },
    variables: { least: { value: 3 } },
    chain: [
      {
        uniqueBlockId: block,
        blockName: 'Read',
        applicationShortName: 'TEST',
        script: "return api.get('TEST/orders')",
      },
      { blockName: 'Fail', dataSources: [block], script: "throw new Error('the unit is missing')" },
    ],
  })
  await manager.get(`/api/DeployWorkflow/${workflow.body}`)
  await manager.post('/api/RunWorkflow', { workflowId: workflow.body })
  await eventually(async () => {
    const { body } = await manager.post(`/api/GetRunHistory/${workflow.body}`, { page: 0, size: 1 })
    return body.items[0]?.status === 'Error'
  })
  const webhook = await enableWebhook(manager, workflow.body)
  await manager.post(`/api/WebhookQueueHold/${workflow.body}`, {})
  await webhook.send({ number: 4711 })
  const share = await shareFiles(manager)
  const template = templates.find((item) => item.applications.includes('TEST'))?.id as string
  const upgrading = await seedUpgrade(manager)
  return {
    WORKFLOW: workflow.body,
    CONNECTION: connection,
    APPLICATION: testId,
    TEMPLATE: template,
    SHARE: share,
    ...upgrading,
  }
}

/** A template in three versions: one workflow was upgraded to the second, the other has a conflict with the third. */
async function seedUpgrade(manager: Client): Promise<Record<string, string>> {
  const template = createTemplate(manager)
  const first = newBlock('return 1')
  await template.publish('1', { chain: [first] })
  const make = async () => (await manager.post('/api/Workflow', { workflowTemplateId: template.id })).body as string
  const [upgraded, conflicting] = [await make(), await make()]
  const own = { uniqueBlockId: first.uniqueBlockId, script: 'return "own"' }
  await manager.post(`/api/Workflow/${conflicting}`, { chain: [own] })
  await template.publish('2', { chain: [{ ...first, script: 'return 2' }] })
  const rolledOut = await startUpgrade(manager, template.id, { workflowIds: [upgraded, conflicting] })
  await upgradeIn(manager, rolledOut, 'Completed')
  await template.publish('3', { chain: [{ ...first, script: 'return 3' }] })
  return { FOLLOWED: template.id, CONFLICTING: conflicting, ROLLEDOUT: rolledOut }
}

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** A theme changes colours and nothing else. */
const rulesOfColour = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

async function violations(page: Page, runOnly: object): Promise<string[]> {
  return page.evaluate(async (runOnly) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }
    const { run } = (globalThis as unknown as { axe: { run(options: object): Promise<Found> } }).axe
    const found = await run({ runOnly, resultTypes: ['violations'] })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    )
  }, runOnly)
}

const addressOf = (path: string) => path.replaceAll(/[A-Z]{5,}/g, (name) => ids[name] as string)

/** Pages that are open already and keep what they have loaded: a test takes one and gives it back. */
const idle: Record<'console' | 'public', Page[]> = { console: [], public: [] }
const taken = { console: 0, public: 0 }
const pagesMax = 2
const waiting: (() => void)[] = []

async function withPage(kind: 'console' | 'public', use: (page: Page) => Promise<void>): Promise<void> {
  while (taken.console + taken.public >= pagesMax) await new Promise<void>((resolve) => waiting.push(resolve))
  taken[kind]++
  const page = idle[kind].pop() ?? (await visit.open('about:blank', { isSignedOut: kind === 'public' }))
  try {
    await page.emulateMedia({ colorScheme: 'light' })
    await use(page)
  } finally {
    idle[kind].push(page)
    taken[kind]--
    waiting.shift()?.()
  }
}

async function findViolations(page: Page): Promise<string[]> {
  await settled(page)
  await page.evaluate(axe)
  const inLight = await violations(page, everyRule)
  await page.emulateMedia({ colorScheme: 'dark' })
  // Colours of buttons go over into the other theme for a tenth of a second.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().flatMap((one) => (one instanceof CSSTransition ? [one.finished] : []))),
  )
  return [...inLight, ...(await violations(page, rulesOfColour)).map((found) => `dark: ${found}`)]
}

describe.concurrent('axe', () => {
  it.each(pages)('finds nothing on %s, light or dark', async (path) => {
    await withPage(isPublic.test(path) ? 'public' : 'console', async (page) => {
      await page.goto(addressOf(path))
      expect(await findViolations(page)).toEqual([])
    })
  })

  it.each(dialogs)('finds nothing over a page, light or dark: %s', async (_what, path, open) => {
    await withPage('console', async (page) => {
      await page.goto(addressOf(path))
      await settled(page)
      await open(page)
      expect(await findViolations(page)).toEqual([])
    })
  })
})
