// Every page of the console, in light and dark, wide and narrow: no violation of WCAG A and AA that axe can see.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVisit, type Visit } from './harness/visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const pages = [
  '/',
  '/workflows',
  '/workflows/new',
  '/connections',
  '/catalogue',
  '/templates',
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
]

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    type Found = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }
    const { run } = (globalThis as unknown as { axe: { run(options: object): Promise<Found> } }).axe
    const found = await run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    )
  })
}

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(pages)('%s has no violation', async (path) => {
    const page = await visit.open(path, { colorScheme, isSignedOut: /signin|password/.test(path) })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })
})
