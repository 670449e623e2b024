import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { newId } from '../../src/lib/id.ts'
import { answerIndexWork } from '../../src/search/indexing/index-work.ts'
import { deleteOutdated, insertSegment } from '../../src/search/store.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { blockResult, deployWorkflow, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'
import { nobody } from './workflow-samples.ts'

type Item = Record<string, unknown> & { where: string; runNumber: number | null }

let service: TestService
let account: Awaited<ReturnType<typeof createAccount>>
let client: Client
let workflow: SampleWorkflow

beforeAll(async () => {
  service = await joinService()
  account = await createAccount(service, service.manager, 'User')
  client = account.client
  const applications = (await client.get('/api/Applications')).body
  const connection = await client.post('/api/RegApplication', {
    applicationId: applications.find(({ shortName }: { shortName: string }) => shortName === 'TEST').id,
    tagText: 'test',
    credentialsJson: '{}',
  })
  workflow = await deployWorkflow(
    client,
    [
      {
        blockName: 'Ship',
        script: `console.log('packing', 'PARCEL-9000'); await api.get('test/orders?since=2020-02-20T00:00:00Z');
          return { order: 'Order-4711', customer: 'ann@example.com', note: 'line one\\nsecond "quoted"', city: 'Ålesund' }`,
      },
      { blockName: 'Fail', script: `throw new Error('the warehouse said QUOTA-EXCEEDED')` },
    ],
    { name: 'Shipping', applications: { TEST: connection.body } },
  )
  await runToEnd(client, workflow.id)
})
afterAll(() => service[Symbol.asyncDispose]())

const search = (searchTerm: unknown, more: object = {}, as: Client = client) =>
  as.post('/api/SearchRuns', { searchTerm, page: 0, size: 50, ...more })

/** Waits until the index has it; five seconds are promised. */
function found(searchTerm: string, more: object = {}, as: Client = client): Promise<Item[]> {
  return eventually(async () => {
    const answer = await search(searchTerm, more, as)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.items.length > 0 ? answer.body.items : undefined
  })
}

describe('SearchRuns does not find', () => {
  it('what a script took from the vault and returned, in whatever form, nor where a later block passes it on', async () => {
    const taking = await deployWorkflow(client, [
      `const { token, pin } = myVault.get('login')
       return { note: 'MARKER-ONE', token, nested: [{ header: 'Bearer ' + token + '!' }], url: 'https://x/?t=' + encodeURIComponent(token), pin }`,
      `return [...Datasource, 'MARKER-TWO ' + Datasource[0].token]`,
      `myVault.set('written', 'WRITTEN-VALUE'); return { large: 'y '.repeat(200_000), token: Datasource[0][0].token, written: 'WRITTEN-VALUE', note: 'MARKER-THREE' }`,
    ])
    const { id } = taking
    const set = await client.post(`/api/MyVaultSet/${id}/login`, {
      jsonData: { token: 'TAKEN-4711 "x"', pin: '90210' },
    })
    expect(set.status, set.text).toBe(200)
    await runToEnd(client, id)
    for (const [marker, count] of [
      ['MARKER-ONE', 2],
      ['MARKER-TWO', 1],
      ['MARKER-THREE', 1],
      // What it wrote itself is its own.
      ['WRITTEN-VALUE', 1],
    ] as const) {
      const items = await eventually(async () => {
        const { items: seen } = (await search(marker, { workflowId: id })).body
        return seen.length >= count ? seen : undefined
      })
      expect(items.length).toBeGreaterThanOrEqual(count)
    }
    for (const word of ['TAKEN-4711', 'TAKEN', '4711', '90210'])
      expect([word, (await search(word, { workflowId: id })).body.items]).toEqual([word, []])
    // It is hidden from search alone.
    expect((await blockResult(client, taking, 1)).text).toContain('TAKEN-4711')
  })
})

describe('SearchRuns does not find, of a block with items,', () => {
  const each = (script: string, forEach: object = {}) => ({ script, flow: { forEach } })
  it.each([
    ['one by one', each(`return { note: 'KEPT-' + item, token: myVault.get('login').token + item }`)],
    [
      'in batches',
      each(`return items.map(({ item }) => ({ note: 'KEPT-' + item, token: myVault.get('login').token }))`, {
        batchSize: 2,
      }),
    ],
    ['remembered', each(`return { note: 'KEPT-' + item, token: myVault.get('login').token }`, { once: 1 })],
  ])('what they took from the vault and returned, %s', async (_how, block) => {
    const workflow = await deployWorkflow(client, ["return ['a', 'b', 'c']", block, 'return Datasource[0][1].token'])
    const { id } = workflow
    const set = await client.post(`/api/MyVaultSet/${id}/login`, { jsonData: { token: 'HIDDEN-0815' } })
    expect(set.status, set.text).toBe(200)
    await runToEnd(client, id)
    await runToEnd(client, id)
    await eventually(async () => (await search('KEPT-c', { workflowId: id })).body.items.length >= 2)
    for (const word of ['HIDDEN-0815', 'HIDDEN', '0815'])
      expect([word, (await search(word, { workflowId: id })).body.items]).toEqual([word, []])
    expect((await blockResult(client, workflow, 2)).text).toContain('HIDDEN-0815')
  })
})

describe('SearchRuns finds', () => {
  it('an order number in the result of a block, with where it stands', async () => {
    const [item] = await found('order-4711')
    expect(item).toEqual({
      workflowId: workflow.id,
      workflowName: 'Shipping',
      runNumber: 1,
      webhookId: null,
      uniqueBlockId: workflow.blocks[0],
      blockName: 'Ship',
      where: 'result',
      snippet: expect.stringContaining('Order-4711'),
      dateTimeUTC: expect.stringMatching(/Z$/),
      status: 'Error',
    })
  })

  it.each([
    ['a part of a compound', '4711', 'result'],
    ['parts of a compound joined again', 'example.com', 'result'],
    ['a whole compound', 'ann@example.com', 'result'],
    ['other case', 'oRDER-4711', 'result'],
    ['letters beyond ASCII', 'ålesund', 'result'],
    ['a word after a line end', 'second', 'result'],
    ['a word in quotes', 'quoted', 'result'],
    ['the name of a field', 'customer', 'result'],
    ['several words of one place', 'ann@example.com 4711', 'result'],
    ['a log line', 'PARCEL-9000', 'log'],
    ['an error', 'quota-exceeded', 'error'],
    ['the address of a call', 'orders', 'call'],
  ])('%s', async (_name, term, where) => {
    await found('order-4711')
    const items = await found(term)
    expect(items.map((item) => item.where)).toEqual([where])
    expect(items[0]?.runNumber).toBe(1)
  })

  it.each([
    ['a piece of a word', '471'],
    ['words of different places', '4711 PARCEL'],
    ['parts that do not stand side by side', 'ann@com'],
  ])('nothing for %s', async (_name, term) => {
    await found('order-4711')
    expect((await search(term)).body).toEqual({ items: [], isLast: true })
  })

  it('only in the places, workflow and time that are asked for', async () => {
    const [item] = await found('order-4711')
    const at = Date.parse(item?.['dateTimeUTC'] as string)
    const iso = (ms: number) => new Date(ms).toISOString()
    expect((await search('4711', { in: ['LOG', 'error'] })).body.items).toEqual([])
    expect((await search('4711', { in: ['result'] })).body.items).toHaveLength(1)
    expect((await search('4711', { workflowId: workflow.id.toUpperCase() })).body.items).toHaveLength(1)
    expect((await search('4711', { searchFrom: iso(at), searchTo: iso(at + 1) })).body.items).toHaveLength(1)
    expect((await search('4711', { searchFrom: iso(at + 1) })).body.items).toEqual([])
    expect((await search('4711', { searchTo: iso(at) })).body.items).toEqual([])
  })

  it('a webhook payload, before and after a run took it', async () => {
    const receiver = await deployWorkflow(client, ['return webhook.body.ref'], { name: 'Receiver' })
    const webhook = await enableWebhook(client, receiver.id)
    await client.post(`/api/WebhookQueueHold/${receiver.id}`)
    const { webhookId } = (await webhook.send({ ref: 'INBOX-1' })).body
    const waiting = await found('inbox-1')
    expect(waiting).toEqual([
      expect.objectContaining({
        where: 'webhook',
        webhookId,
        runNumber: null,
        status: null,
        uniqueBlockId: null,
        blockName: null,
      }),
    ])
    expect(waiting[0]?.['snippet']).toContain('INBOX-1')
    await client.post(`/api/WebhookQueueRelease/${receiver.id}`)
    await eventually(async () => {
      const items = (await search('inbox-1')).body.items as Item[]
      return items.length === 2 && items.every((item) => item.runNumber === 1) ? items : undefined
    })
  })

  it('newest first, page by page', async () => {
    const counter = await deployWorkflow(client, ["return 'paged ' + run.runNumber"], { name: 'Counter' })
    for (let count = 0; count < 5; count++) await runToEnd(client, counter.id)
    await eventually(async () => (await search('paged')).body.items.length === 5 || undefined)
    const page = async (number: number) => {
      const { body } = await search('paged', { page: number, size: 2 })
      return [body.items.map((item: Item) => item.runNumber), body.isLast]
    }
    expect([await page(0), await page(1), await page(2), await page(3)]).toEqual([
      [[5, 4], false],
      [[3, 2], false],
      [[1], true],
      [[], true],
    ])
  })

  it('nothing of a workflow that was deleted, and keeps nothing of it', async () => {
    const doomed = await deployWorkflow(client, ["return 'soon-forgotten'"])
    await runToEnd(client, doomed.id)
    await found('soon-forgotten')
    await client.get(`/api/DeleteWorkflow/${doomed.id}`)
    expect((await search('soon-forgotten')).body.items).toEqual([])
    expect(await service.asOwner('select 1 from search_segments where workflow_id = $1', [doomed.id])).toEqual([])
  })

  it('the same after many small segments became few large ones', async () => {
    const busy = await deployWorkflow(client, ["return 'merged-' + run.runNumber"])
    for (let count = 1; count <= 9; count++) {
      await runToEnd(client, busy.id)
      await found(`merged-${count}`)
    }
    const items = await eventually(async () => {
      const segments = await service.asOwner('select 1 from search_segments where workflow_id = $1', [busy.id])
      return segments.length < 9 ? ((await search('merged')).body.items as Item[]) : undefined
    })
    expect(items.map((item) => item.runNumber)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it('nothing yet of a workflow of an account that has no run', async () => {
    const fresh = (await createAccount(service, service.manager, 'User')).client
    const { id } = await deployWorkflow(fresh, ['return 1'])
    expect(await search('anything', { workflowId: id }, fresh)).toMatchObject({
      status: 200,
      body: { items: [], isLast: true },
    })
  })

  it('a payload after the runs of its day are beyond the number that is kept', async () => {
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const receiver = await deployWorkflow(client, ['return 1'])
    const webhook = await enableWebhook(client, receiver.id)
    await client.post(`/api/WebhookQueueHold/${receiver.id}`)
    await webhook.send({ ref: 'KEPT-1' })
    await found('kept-1')
    const segments = () =>
      service.asOwner(
        'select day::text, highest_run_number as number from search_segments where workflow_id = $1 order by 2',
        [receiver.id],
      )
    // Segments of eight runs, as many as are merged, beside that of the payload.
    const place = { accountId: account.id, workflowId: receiver.id, day: (await segments())[0]?.['day'] as string }
    for (let runNumber = 1; runNumber <= 8; runNumber++) {
      const document = {
        subjectId: newId(),
        runNumber,
        blockId: null,
        place: 'log',
        ordinal: 0,
        atMs: Date.now(),
      } as const
      const texts = [{ document, text: 'x', format: 'text' as const }]
      for (const segment of answerIndexWork({ kind: 'build', key: randomBytes(32), texts }))
        await insertSegment(database.system, place, 0, segment)
    }
    await webhook.send({ ref: 'KEPT-2' })
    await found('kept-2')
    await eventually(async () => (await segments()).length < 9)
    await service.asOwner(
      `insert into run_counters (workflow_id, account_id, last_number) values ($1, $2, 1000)
       on conflict (workflow_id) do update set last_number = excluded.last_number`,
      [receiver.id, account.id],
    )
    await deleteOutdated(database.system, { daysKept: 30, runsKeptMax: 100 })
    expect((await search('kept', { workflowId: receiver.id })).body.items).toHaveLength(2)
    expect((await segments()).filter(({ number }) => number !== null)).toEqual([])
  })
})

describe('SearchRuns across accounts', () => {
  it('finds what the caller may act for and names the account; others see their own only', async () => {
    const other = await createAccount(service, service.manager, 'User')
    const theirs = await deployWorkflow(other.client, ["return 'order-4711 of another'"])
    await runToEnd(other.client, theirs.id)
    await found('order-4711', {}, other.client)
    await found('order-4711')
    const everything = (await search('order-4711', { acrossAccounts: true }, service.manager)).body.items as Item[]
    expect(everything.map((item) => [item['accountId'], item['accountEmail']])).toEqual([
      [other.id, other.email],
      [account.id, account.email],
    ])
    const own = (await search('order-4711', { acrossAccounts: true })).body.items as Item[]
    expect(own.map((item) => item['accountId'])).toEqual([account.id])
    expect((await search('order-4711', {}, service.manager)).body.items).toEqual([])
    expect((await search('order-4711', {}, service.manager.as(account.id))).body.items).toHaveLength(1)
  })

  it('never looks into another organization', async () => {
    await found('order-4711')
    const stranger = await createOrganization(service)
    expect((await search('order-4711', { acrossAccounts: true }, stranger.manager)).body.items).toEqual([])
    expect(
      (await search('order-4711', { workflowId: workflow.id, acrossAccounts: true }, stranger.manager)).status,
    ).toBe(404)
  })
})

describe('SearchRuns refuses', () => {
  it.each([
    ['an empty term', '', {}],
    ['punctuation only', '%_-.. "\'', {}],
    ['an emoji only', '😀', {}],
    ['a very long term', 'x'.repeat(10_000), {}],
    ['very many words', Array.from({ length: 30 }, (_, n) => `w${n}`).join(' '), {}],
    ['a term that is no text', 4711, {}],
    ['an unknown place', 'x', { in: ['vault'] }],
    ['no place at all', 'x', { in: [] }],
    [
      'a range that ends before it begins',
      'x',
      { searchFrom: '2026-02-02T00:00:00Z', searchTo: '2026-01-01T00:00:00Z' },
    ],
    ['a day that does not exist', 'x', { searchFrom: '2026-02-31T00:00:00Z' }],
    ['a page too far', 'x', { page: 100_000, size: 1000 }],
    ['an unknown field', 'x', { index: 1 }],
  ])('%s', async (_name, term, more) => {
    const answer = await search(term, more)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toMatch(/\.$/)
  })

  it('a workflow that is unknown', async () => {
    expect((await search('x', { workflowId: nobody })).status).toBe(404)
  })

  it.each(['שלום', 'a\u0000b', "'; drop table runs --", '漢字', '4711%'])('nothing about %j', async (term) => {
    expect((await search(term)).status).toBe(200)
  })
})
