// A service of its own and a browser that looks at it. Every fault that the browser reports fails the test that caused it.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { startBrowser } from './browser.ts'
import { buildConsole } from './build-console.ts'

export const password = 'correct horse battery staple'

export type Visit = AsyncDisposable & {
  service: TestService
  browser: Browser
  /** A page in a context of its own, signed in as the first account unless told otherwise. */
  open(path: string, options?: BrowserContextOptions & { isSignedOut?: boolean }): Promise<Page>
  /** What the browser complained about so far: errors, policy reports, requests to other hosts. */
  complaints: string[]
  /** Other hosts that a journey goes to on purpose. */
  peers: string[]
}

export async function startVisit(env: Record<string, string> = {}): Promise<Visit> {
  buildConsole()
  const service = await startService({ env })
  const browser = await startBrowser()
  const complaints: string[] = []
  const peers: string[] = []
  let signedIn: ReturnType<BrowserContext['storageState']> | undefined
  const watch = async (context: BrowserContext): Promise<Page> => {
    context.on('request', (request) => {
      const isOwn = ['data:', `${service.baseUrl}/`, ...peers].some((start) => request.url().startsWith(start))
      if (!isOwn) complaints.push(`A request left for ${request.url()}`)
    })
    // It only ends what hangs: a browser on a busy machine takes its time.
    context.setDefaultTimeout(180_000)
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      // A refused request is also written to the console; the page shows its sentence.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`)
    })
    return page
  }
  const signIn = async () => {
    const context = await browser.newContext({ baseURL: service.baseUrl })
    const page = await watch(context)
    await page.goto(firstLink(service))
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Repeat password').fill(password)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const state = await context.storageState()
    await context.close()
    return state
  }
  return {
    service,
    browser,
    complaints,
    peers,
    async open(path, { isSignedOut = false, ...options } = {}) {
      if (!isSignedOut) signedIn ??= signIn()
      const context = await browser.newContext({
        baseURL: service.baseUrl,
        viewport: { width: 1440, height: 900 },
        ...(isSignedOut ? {} : { storageState: await (signedIn as NonNullable<typeof signedIn>) }),
        ...options,
      })
      const page = await watch(context)
      await page.goto(path)
      return page
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await service[Symbol.asyncDispose]()
      expect(complaints).toEqual([])
    },
  }
}

/** The link that the first start prints. */
export function firstLink(service: TestService): string {
  return /https?:\/\/\S+\/set-password\?token=\S+/.exec(service.logText())?.[0] as string
}
