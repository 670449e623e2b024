// What the service refuses, and in which words. Every refusal that the contract declares is provoked here. A sentence in the sources of which no test
// quotes three words in a row is found, too.
import { type ErrorCode, errorCatalogue, type OperationSpec, operations } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { listRefusalSentences, wordsOf, wordsOfTests } from '../harness/refusal-sentences.ts'
import { refusalOf } from '../harness/refused-requests.ts'
import { startService } from '../harness/service.ts'
import { askForNothing } from './refusals/ask-for-nothing.ts'
import { refusalsOfCatalogue } from './refusals/of-catalogue.ts'
import { refusalsOfConnections } from './refusals/of-connections.ts'
import { refusalsOfDefinitions } from './refusals/of-definitions.ts'
import { refusalsOfFullAccounts, smallQuota } from './refusals/of-full-accounts.ts'
import { refusalsOfPeople } from './refusals/of-people.ts'
import { refusalsOfRequests } from './refusals/of-requests.ts'
import { refusalsOfRuns } from './refusals/of-runs.ts'
import { refusalsOfUpgrades } from './refusals/of-upgrades.ts'
import { refusalsOfWebhooks } from './refusals/of-webhooks.ts'
import { refusalsOfWorkflows } from './refusals/of-workflows.ts'
import type { Surroundings } from './refusals/refusal.ts'

const at = {} as Surroundings
const refusals = [
  refusalsOfRequests,
  refusalsOfPeople,
  refusalsOfCatalogue,
  refusalsOfConnections,
  refusalsOfDefinitions,
  refusalsOfWorkflows,
  refusalsOfRuns,
  refusalsOfWebhooks,
  refusalsOfUpgrades,
  refusalsOfFullAccounts,
].flatMap((list) => list(at))
beforeAll(async () => {
  at.service = await startService({ env: smallQuota })
  at.target = await startHttpTarget()
  at.manager = at.service.manager
  at.user = (await createAccount(at.service, at.manager, 'User')).client
})
afterAll(async () => {
  await at.service[Symbol.asyncDispose]()
  await at.target[Symbol.asyncDispose]()
})

describe('a refusal', () => {
  it.each(refusals)('of $operation with $code says: $says', async ({ operation, code, says, provoke }) => {
    const answer = await provoke()
    const body = JSON.parse(answer.text) as Record<string, string>
    expect([answer.status, body['errorMessage'] ?? body['Error'] ?? body['error']]).toEqual([
      errorCatalogue[code],
      expect.stringContaining(says),
    ])
    if (operation !== 'a page' && operation !== 'a webhook')
      expect(await refusalOf(at.service, answer)).toEqual({ operation, code })
  })
})

/** What no test can bring about in the time there is, and why. */
const unprovoked = new Map([
  ['has only just ended', 'The run would have to end between two statements.'],
  ['The settings of this webhook are being changed', 'They would have to change between two statements, many times.'],
  ['The import cannot be processed', 'Reading it would have to take half a minute, or hundreds of megabytes.'],
  ['The upload stalled and was aborted', 'The sender would have to be silent for two minutes.'],
  ['The answer would have more than', 'It takes a hundred thousand accounts and days.'],
])

/** Three words in a row; fewer where the sentence has no three between the values that are filled in. */
function excerptsOf(parts: readonly string[]): string[] {
  const words = parts.map(wordsOf)
  const length = Math.min(3, Math.max(...words.map((some) => some.length)))
  if (length === 0) return []
  return words.flatMap((some) =>
    some.slice(0, Math.max(0, some.length - length + 1)).map((_, index) => some.slice(index, index + length).join(' ')),
  )
}

const specs = Object.values(operations as Record<string, OperationSpec>)
const refusing = (code: ErrorCode) => specs.filter(({ refuses }) => refuses?.includes(code))

describe('declared in the contract', () => {
  it.each(refusing('not_found'))('$name is 404 for what does not exist', async (spec) => {
    const answer = await askForNothing(at.manager, spec)
    expect([answer.status, answer.body.errorMessage], answer.text).toEqual([
      404,
      expect.stringMatching(/not found|No such/),
    ])
    expect(await refusalOf(at.service, answer)).toEqual({ operation: spec.name, code: 'not_found' })
  })

  // Where the role that is needed depends on the request, the refusal is provoked above.
  const ranked = specs.filter(({ lowestRole }) => lowestRole !== undefined)
  it.each(ranked)('$name is 403 for a User', async (spec) => {
    const { status, body, text } = await askForNothing(at.user, spec)
    expect([status, body.errorMessage], text).toEqual([403, expect.stringMatching(/^This needs the role/)])
  })
})

describe('the contract', () => {
  it('declares nothing that no request above provokes', () => {
    const provoked = new Set(refusals.map(({ operation, code }) => `${operation} ${code}`))
    const declared = specs.flatMap(({ name, lowestRole, refuses = [] }) =>
      refuses
        .filter((code) => code !== 'not_found' && (code !== 'role_too_low' || lowestRole === undefined))
        .map((code) => `${name} ${code}`),
    )
    expect(declared.filter((pair) => !provoked.has(pair))).toEqual([])
  })
})

describe('the sentences of refusals', () => {
  const sentences = listRefusalSentences()

  it('are found in the sources', () => {
    expect(sentences.length).toBeGreaterThan(200)
    expect(sentences).toContainEqual(
      expect.objectContaining({ code: 'keys_invalid', parts: ['These keys have expired.'] }),
    )
  })

  it('are each quoted by a test', () => {
    const tests = wordsOfTests('server/test/api/refusals.test.ts')
    const isExcused = (sentence: string) => [...unprovoked.keys()].some((words) => sentence.includes(words))
    const missing = sentences
      .filter(({ parts }) => !isExcused(parts.join('…')))
      .filter(({ parts }) => {
        const excerpts = excerptsOf(parts)
        return excerpts.length > 0 && !excerpts.some((words) => tests.includes(` ${words} `))
      })
    expect(missing.map(({ at: place, parts }) => `${place} ${parts.join('…')}`)).toEqual([])
  })

  it('are there if they are excused', () => {
    const gone = [...unprovoked.keys()].filter(
      (words) => !sentences.some(({ parts }) => parts.join('…').includes(words)),
    )
    expect(gone).toEqual([])
  })
})
