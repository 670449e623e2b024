// Addresses of the console. A page is loaded when it is visited; its filters and tabs stand in the address.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { ErrorPage, NotFoundPage } from './shell/error-pages.tsx'
import { Shell } from './shell/shell.tsx'
import { isTrue, numberIn, textIn } from './ui/search-params.ts'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
  validateSearch: (search): { as?: string } => textIn(search, 'as'),
  search: { middlewares: [retainSearchParams<{ as?: string }>(['as'])] },
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
    ...textIn(search, 'q', 'state', 'tag', 'template'),
    ...isTrue(search, 'scheduled', 'paused', 'webhook'),
    ...numberIn(search, 'page'),
  }),
  component: lazyRouteComponent(() => import('./workflows/workflows-page.tsx'), 'WorkflowsPage'),
})

const routeTree = root.addChildren([home, workflows])

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
