// The examples of the README, run top to bottom on a real service: what a reader copies works.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { createClient, PatchbayError } from '../src/index.ts'
import { printedBy, readExamples } from './readme-examples.ts'

const examples = readExamples().map((code) => code.replaceAll(/^import .*$/gm, ''))

describe('the README of the sdk', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
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
    const program = new AsyncFunction('createClient', 'PatchbayError', 'process', 'console', examples.join('\n;'))
    await program(createClient, PatchbayError, { env }, { log: (...values: unknown[]) => lines.push(values.join(' ')) })
    expect(lines).toEqual(printedBy(service.firstAccount.email))
  })
})
