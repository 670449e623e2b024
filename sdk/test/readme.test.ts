// The examples of the README, run top to bottom on a real service: what a reader copies works.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { createClient, PatchbayError } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/^## \d+\. (.+?)$[\s\S]*?^```js\n([\s\S]*?)^```/gm)].map((match) => ({
  title: match[1] as string,
  code: (match[2] as string).replaceAll(/^import .*$/gm, ''),
}))

describe('the README of the sdk', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('has ten examples, and all of them run', async () => {
    expect(examples).toHaveLength(10)
    const lines: string[] = []
    const env = {
      PATCHBAY_URL: service.baseUrl,
      PATCHBAY_CONSUMER: service.firstAccount.consumer,
      PATCHBAY_SECRET_KEY: service.firstAccount.secretKey,
    }
    const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => (...given: unknown[]) => unknown
    const program = new AsyncFunction(
      'createClient',
      'PatchbayError',
      'process',
      'console',
      examples.map(({ code }) => code).join('\n;'),
    )
    await program(createClient, PatchbayError, { env }, { log: (...values: unknown[]) => lines.push(values.join(' ')) })
    expect(lines).toEqual(
      expect.arrayContaining([
        `Signed in as ${service.firstAccount.email}.`,
        '2',
        'run.ended Ready',
        '1 Ready',
        expect.stringMatching(/^404 .+ \S+$/),
        service.firstAccount.email,
      ]),
    )
  })
})
