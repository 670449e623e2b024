import type { Page } from 'playwright-core'

/** The page shows what it was asked for: a heading, and no place held for something that is still on its way. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('.skeleton') === null,
  )
}
