// `npm run pictures`: every page of the console on the data of the demo, at the width of a desk and of a phone, light and dark, to be
// looked at. Names of scenes take only those; `--readme` also writes the pictures of the README.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { startBrowser } from '../harness/browser.ts'
import { settled } from '../harness/settled.ts'
import { findDemoIds } from './demo-ids.ts'
import { startFilledService } from './filled-service.ts'
import { readmePictures, type Scene, scenes } from './scenes.ts'

const widths = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
/** Of a page that scrolls, so much is enough to judge it. */
const heightMax = 2400

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false }, into: { type: 'string' } },
})
const folder = values.into ?? mkdtempSync(join(tmpdir(), 'patchbay-pictures-'))
mkdirSync(folder, { recursive: true })
const wanted = scenes.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

await using service = await startFilledService()
const ids = await findDemoIds(service)
await using browser = await startBrowser()
const storageState = await service.signIn(browser)
for (const [size, viewport] of Object.entries(widths)) {
  const signedIn = await browser.newContext({ baseURL: service.baseUrl, viewport, storageState })
  const signedOut = await browser.newContext({ baseURL: service.baseUrl, viewport })
  for (const scene of wanted) await take(scene, size, scene.isSignedOut ? signedOut : signedIn)
}
console.log(`${wanted.length * 4} pictures in ${folder}`)

async function take(scene: Scene, size: string, context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  try {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(scene.path.replaceAll(/[A-Z]{5,}/g, (name) => ids[name] || name))
    await still(page)
    await scene.act?.(page)
    await still(page)
    const readme = readmePictures[scene.name]
    if (values.readme && size === 'desk' && readme !== undefined) {
      await page.screenshot({ path: fileURLToPath(new URL(`../../docs/pictures/${readme}`, import.meta.url)) })
    }
    const { width } = page.viewportSize() as { width: number }
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await still(page)
      const clip = { x: 0, y: 0, width, height: Math.min(height, heightMax) }
      await page.screenshot({ path: join(folder, `${scene.name}-${size}-${colorScheme}.png`), fullPage: true, clip })
    }
  } catch (error) {
    console.error(`${scene.name}, ${size}: ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    await page.close()
  }
}

/** Nothing on its way, nothing in motion. */
async function still(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(() => document.fonts.ready)
  await page.evaluate(() => {
    // What turns for as long as something is under way has no end to wait for.
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    return Promise.allSettled(ending.map((one) => one.finished)).then(() => undefined)
  })
}
