// A real Chromium, found where systems keep it.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const usual = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

// Nothing of the browser's own leaves the machine, and it runs in containers, where its sandbox cannot.
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function startBrowser(): Promise<Browser> {
  const executablePath = [process.env['CHROMIUM'], ...usual].find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined) {
    throw new Error(
      'The console tests need Chromium and found none. Install it (Debian, Ubuntu: apt-get install chromium) or name one: CHROMIUM=/path/to/chromium npm test.',
    )
  }
  return chromium.launch({ executablePath, args: flags })
}
