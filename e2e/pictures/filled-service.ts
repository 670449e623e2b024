// A service with the data of the demo, and a browser session in it.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@patchbay/sdk'
import type { Browser, BrowserContext } from 'playwright-core'
import { startProgram } from '../../server/test/harness/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const password = 'correct horse battery staple'

export type FilledService = AsyncDisposable & {
  baseUrl: string
  manager: Client
  /** Calls for a customer of the demo. */
  clientOf(accountId: string): Client
  signIn(browser: Browser): Promise<Awaited<ReturnType<BrowserContext['storageState']>>>
}

/** With PATCHBAY_DATA_DIR the data stays, and the next start finds it filled; otherwise everything is gone afterwards. */
export async function startFilledService(): Promise<FilledService> {
  const kept = process.env['PATCHBAY_DATA_DIR']
  const parent = kept === undefined ? mkdtempSync(join(tmpdir(), 'patchbay-pictures-')) : undefined
  const dataDir = kept ?? join(parent as string, 'data')
  const isFilled = existsSync(join(dataDir, 'first-account.json'))
  const program = startProgram('main', [], { PATCHBAY_DATA_DIR: dataDir, PATCHBAY_PORT: '0' })
  const baseUrl = (await program.saw(/Patchbay is ready at (\S+) /))[1] as string
  if (!isFilled) await fill(baseUrl, dataDir)
  const keys = JSON.parse(readFileSync(join(dataDir, 'first-account.json'), 'utf8'))
  return {
    baseUrl,
    manager: createClient({ baseUrl, keys }),
    clientOf: (managedAccountId) => createClient({ baseUrl, keys, managedAccountId }),
    async signIn(browser) {
      const page = await browser.newPage({ baseURL: baseUrl })
      if (isFilled) {
        await page.goto('/signin')
        await page.getByLabel('E-mail').fill(keys.email)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
      } else {
        await page.goto((await program.saw(/set a password: (\S+)/))[1] as string)
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByLabel('Repeat password').fill(password)
        await page.getByRole('button', { name: 'Set password' }).click()
      }
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
      const state = await page.context().storageState()
      await page.close()
      return state
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      if (parent !== undefined) rmSync(parent, { recursive: true, force: true })
    },
  }
}

async function fill(baseUrl: string, dataDir: string): Promise<void> {
  const env = { ...process.env, PATCHBAY_URL: baseUrl, PATCHBAY_DATA_DIR: dataDir }
  const child = spawn(process.execPath, ['demo/main.ts'], { cwd: root, env, stdio: 'inherit' })
  const code = await new Promise((done) => child.on('close', done))
  if (code !== 0) throw new Error('The demo did not fill the service.')
}
