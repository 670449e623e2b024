// What the pictures show. Words in capitals stand for ids of the demo, see `demo-ids.ts`.
import type { Page } from 'playwright-core'

export type Scene = {
  name: string
  path: string
  isSignedOut?: boolean
  /** What a person does on the page before the picture is taken. */
  act?: (page: Page) => Promise<void>
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

const home: Scene[] = [
  { name: 'home', path: '/' },
  { name: 'home-customer', path: '/?as=ACCOUNT' },
  { name: 'palette', path: '/', act: (page) => page.keyboard.press('Control+k') },
  { name: 'account-switch', path: '/', act: press(/Manage as/) },
]

const building: Scene[] = [
  { name: 'workflows', path: '/workflows?as=ACCOUNT' },
  { name: 'workflows-tower', path: '/workflows?all=true' },
  {
    name: 'workflows-tower-failing',
    path: '/workflows?all=true&last=Error&sort=failingSinceDateTimeUTC&ascending=true',
  },
  { name: 'workflows-empty', path: '/workflows?q=nothing-is-called-so' },
  {
    name: 'workflows-bulk',
    path: '/workflows?as=ACCOUNT',
    act: async (page) => {
      // Rows have no boxes on a phone.
      const all = page.getByRole('checkbox', { name: 'Select all on this page' })
      if (await all.isVisible()) await all.check()
    },
  },
  { name: 'workflow-new', path: '/workflows/new' },
  { name: 'workflow-wizard', path: '/workflows/new?template=TEMPLATE' },
  { name: 'workflow', path: '/workflows/ORDERS?as=ACCOUNT' },
  {
    name: 'workflow-block',
    path: '/workflows/CALMORDERS?as=CALMACCOUNT&block=CALMBLOCK',
    act: async (page) => {
      await page.getByRole('button', { name: 'Test block' }).click()
      await page.getByText(/^Test took/).waitFor()
    },
  },
  {
    name: 'workflow-replay',
    path: '/workflows/ORDERS?as=ACCOUNT&replay=true',
    act: async (page) => {
      await press('Replay')(page)
      await page.getByText('running …').waitFor({ state: 'detached' })
      await page.getByRole('table', { name: 'Replayed runs' }).getByText('Same').first().waitFor()
    },
  },
  ...['variables', 'connections', 'schedule', 'runs', 'revisions', 'settings'].map((tab) => ({
    name: `workflow-${tab}`,
    path: `/workflows/INVOICES?as=ACCOUNT&tab=${tab}`,
  })),
  { name: 'workflow-webhook-off', path: '/workflows/INVOICES?as=ACCOUNT&tab=webhook' },
  { name: 'webhook-queue', path: '/workflows/RETURNS?as=ACCOUNT&tab=webhook', act: press(/^Show request/) },
  {
    name: 'webhook-history',
    path: '/workflows/ORDERS?as=ACCOUNT&tab=webhook',
    act: press('History'),
  },
  { name: 'run', path: '/workflows/ORDERS/runs/READY?as=ACCOUNT' },
  { name: 'run-failed', path: '/workflows/ORDERS/runs/FAILED?as=ACCOUNT' },
  { name: 'run-missing', path: '/workflows/ORDERS/runs/999999?as=ACCOUNT' },
  { name: 'connections', path: '/connections?as=FAULTY&id=CONNECTION' },
  { name: 'catalogue', path: '/catalogue' },
  { name: 'catalogue-register', path: '/catalogue?register=HTTPAPP' },
  { name: 'templates', path: '/templates' },
  { name: 'template', path: '/templates/TEMPLATE' },
  { name: 'upgrades', path: '/upgrades' },
  { name: 'upgrades-preview', path: '/upgrades?template=OWNTEMPLATE' },
  { name: 'upgrades-conflict', path: '/upgrades?template=OWNTEMPLATE&workflow=INVOICES' },
  { name: 'upgrade', path: '/upgrades/UPGRADE' },
]

const watching: Scene[] = [
  { name: 'approvals', path: '/approvals?all=true' },
  { name: 'failed-items', path: '/failed-items?all=true' },
  { name: 'search', path: '/search?q=4711&all=true' },
  { name: 'search-start', path: '/search' },
  { name: 'search-nothing', path: '/search?q=no-such-order' },
  { name: 'alarms', path: '/alarms?all=true' },
  { name: 'alarms-none', path: '/alarms' },
  { name: 'alarms-expect', path: '/alarms?as=ACCOUNT&expect=STOCK' },
  { name: 'usage', path: '/usage?all=true' },
  { name: 'mail', path: '/mail' },
  { name: 'shares', path: '/shares' },
  { name: 'shares-upload', path: '/shares?upload=true' },
]

const governing: Scene[] = [
  { name: 'accounts', path: '/accounts' },
  { name: 'accounts-new', path: '/accounts', act: press('New account') },
  { name: 'keys', path: '/keys' },
  { name: 'keys-new', path: '/keys', act: press('New key') },
  { name: 'vault', path: '/vault?as=ACCOUNT' },
  { name: 'audit', path: '/audit' },
  { name: 'docs', path: '/docs' },
  { name: 'docs-page', path: '/docs/webhooks' },
  { name: 'reference', path: '/reference' },
  { name: 'not-found', path: '/nothing-here' },
]

const forEverybody: Scene[] = (
  [
    { name: 'signin', path: '/signin' },
    { name: 'forgot-password', path: '/forgot-password' },
    { name: 'set-password', path: '/set-password?token=wrong' },
    { name: 'activate', path: '/activate?token=wrong' },
    { name: 'oauth-result', path: '/oauth/callback?state=wrong' },
    { name: 'share', path: '/secure-share/secure-download?shareid=SHARE' },
    {
      name: 'share-files',
      path: '/secure-share/secure-download?shareid=SHARE',
      act: async (page) => {
        await page.getByLabel('Code').fill('open-sesame')
        await page.getByRole('button', { name: 'Show the files' }).click()
      },
    },
  ] satisfies Scene[]
).map((scene) => ({ ...scene, isSignedOut: true }))

export const scenes: readonly Scene[] = [...home, ...building, ...watching, ...governing, ...forEverybody]

/** The pictures of the README, by the scene they show. */
export const readmePictures: Readonly<Record<string, string>> = {
  home: 'home.png',
  'workflow-block': 'workflow.png',
  'webhook-queue': 'webhook-inbox.png',
}
