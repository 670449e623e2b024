// Addresses of the console. A page is loaded when it is visited; its filters and tabs stand in the address.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { prefetchRun } from './runs/prefetch-run.ts'
import { managedAccountId } from './session/managed-account.ts'
import { ErrorPage, NotFoundPage } from './shell/error-pages.tsx'
import { Shell } from './shell/shell.tsx'
import { isTrue, numberIn, textIn } from './ui/search-params.ts'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
  validateSearch: (search): { as?: string | undefined } => textIn(search, 'as'),
  search: { middlewares: [retainSearchParams<{ as?: string | undefined }>(['as'])] },
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
})

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: (search) => ({
    ...textIn(search, 'q', 'state', 'tag', 'template', 'version', 'app', 'last', 'sort'),
    ...isTrue(search, 'scheduled', 'paused', 'webhook', 'all', 'ascending'),
    ...numberIn(search, 'page'),
  }),
  component: lazyRouteComponent(() => import('./workflows/workflows-page.tsx'), 'WorkflowsPage'),
})

const newWorkflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/new',
  // One parameter per application (`app.SHOP`), so every text is kept.
  validateSearch: (search): { template?: string | undefined; step?: string | undefined; name?: string | undefined } =>
    textIn(search, ...Object.keys(search)),
  component: lazyRouteComponent(() => import('./workflows/new-workflow-page.tsx'), 'NewWorkflowPage'),
})

const connections = createRoute({
  getParentRoute: () => root,
  path: '/connections',
  validateSearch: (search) => ({
    ...textIn(search, 'q', 'id'),
    ...isTrue(search, 'faulted'),
    ...numberIn(search, 'page'),
  }),
  component: lazyRouteComponent(() => import('./connections/connections-page.tsx'), 'ConnectionsPage'),
})

const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/catalogue',
  validateSearch: (search) => textIn(search, 'q', 'tag', 'register'),
  component: lazyRouteComponent(() => import('./catalogue/catalogue-page.tsx'), 'CataloguePage'),
})

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: (search) => ({ ...textIn(search, 'q'), ...isTrue(search, 'own') }),
  component: lazyRouteComponent(() => import('./templates/templates-page.tsx'), 'TemplatesPage'),
})

const template = createRoute({
  getParentRoute: () => root,
  path: '/templates/$id',
  validateSearch: (search) => isTrue(search, 'draft'),
  component: lazyRouteComponent(() => import('./templates/template-page.tsx'), 'TemplatePage'),
})

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: (search) => ({
    ...textIn(search, 'tab', 'block', 'status', 'sort', 'since', 'until', 'requests', 'request', 'requestPage'),
    ...isTrue(search, 'ascending', 'replay'),
    ...numberIn(search, 'page', 'from', 'to'),
  }),
  component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
})

const run = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id/runs/$number',
  validateSearch: (search) => textIn(search, 'block', 'view'),
  // Also when a link is pointed at; the page itself waits for nothing here. A link into another account is read once it is opened.
  loader: ({ params, location }) => {
    if ((location.search as { as?: string | undefined }).as !== managedAccountId()) return
    void prefetchRun(params.id, Number(params.number)).catch(() => {})
  },
  component: lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
})

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: (given) => ({ ...textIn(given, 'q', 'in'), ...isTrue(given, 'all'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
})

const upgrades = createRoute({
  getParentRoute: () => root,
  path: '/upgrades',
  validateSearch: (given) => ({
    ...textIn(given, 'template', 'to', 'outcome', 'workflow'),
    ...numberIn(given, 'page'),
  }),
  component: lazyRouteComponent(() => import('./upgrades/upgrades-page.tsx'), 'UpgradesPage'),
})

const upgrade = createRoute({
  getParentRoute: () => root,
  path: '/upgrades/$id',
  component: lazyRouteComponent(() => import('./upgrades/upgrade-page.tsx'), 'UpgradePage'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
})

const accounts = createRoute({
  getParentRoute: () => root,
  path: '/accounts',
  validateSearch: (given) => ({ ...textIn(given, 'q', 'state'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./accounts/accounts-page.tsx'), 'AccountsPage'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: (given) => ({ ...textIn(given, 'from', 'to'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
})

const vault = createRoute({
  getParentRoute: () => root,
  path: '/vault',
  validateSearch: (given) => ({ ...textIn(given, 'q', 'workflow'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./vault/vault-page.tsx'), 'VaultPage'),
})

const mail = createRoute({
  getParentRoute: () => root,
  path: '/mail',
  validateSearch: (given) => ({ ...textIn(given, 'status'), ...isTrue(given, 'all'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./mail/mail-page.tsx'), 'MailPage'),
})

const shares = createRoute({
  getParentRoute: () => root,
  path: '/shares',
  validateSearch: (given) => isTrue(given, 'upload'),
  component: lazyRouteComponent(() => import('./shares/shares-page.tsx'), 'SharesPage'),
})

const failedItems = createRoute({
  getParentRoute: () => root,
  path: '/failed-items',
  validateSearch: (given) => ({
    ...textIn(given, 'q', 'workflow'),
    ...isTrue(given, 'all'),
    ...numberIn(given, 'page'),
  }),
  component: lazyRouteComponent(() => import('./runs/failed-items-page.tsx'), 'FailedItemsPage'),
})

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: (given) => ({ ...isTrue(given, 'all', 'closed'), ...numberIn(given, 'page') }),
  component: lazyRouteComponent(() => import('./runs/approvals-page.tsx'), 'ApprovalsPage'),
})

const alarms = createRoute({
  getParentRoute: () => root,
  path: '/alarms',
  validateSearch: (given) => ({
    ...textIn(given, 'expect'),
    ...isTrue(given, 'closed', 'all'),
    ...numberIn(given, 'page'),
  }),
  component: lazyRouteComponent(() => import('./alarms/alarms-page.tsx'), 'AlarmsPage'),
})

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: (given) => ({ ...textIn(given, 'span', 'measure'), ...isTrue(given, 'all') }),
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
})

const docs = createRoute({
  getParentRoute: () => root,
  path: '/docs',
  validateSearch: (given) => textIn(given, 'q'),
  component: lazyRouteComponent(() => import('./docs/docs-page.tsx'), 'DocsPage'),
})

const guidePage = createRoute({
  getParentRoute: () => root,
  path: '/docs/$page',
  component: lazyRouteComponent(() => import('./docs/docs-page.tsx'), 'GuidePage'),
})

const reading = [docs, guidePage] as const
const watching = [search, approvals, failedItems, alarms, usage, mail, shares] as const
const governing = [vault, keys, accounts, audit] as const

const routeTree = root.addChildren([
  home,
  workflows,
  newWorkflow,
  workflow,
  run,
  connections,
  catalogue,
  templates,
  template,
  upgrades,
  upgrade,
  ...watching,
  ...governing,
  ...reading,
])

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultPreloadDelay: 40,
    defaultPendingMs: 200,
    scrollRestoration: true,
    defaultErrorComponent: ErrorPage,
    // Plain values in the address, readable and easy to write by hand: ?tab=runs&page=2.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const entries = Object.entries(search).filter(
        ([, value]) => value !== undefined && value !== '' && value !== false,
      )
      const text = new URLSearchParams(
        entries.map(([name, value]): [string, string] => [name, String(value)]),
      ).toString()
      return text === '' ? '' : `?${text}`
    },
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
