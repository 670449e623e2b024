import { createConnection } from 'node:net'
import { createClient } from '@patchbay/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../../src/lib/token.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Keys } from '../harness/client.ts'
import { EventReader } from '../harness/event-reader.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

let service: TestService
let other: TestService
/** Open from the beginning, on an account where nothing happens. */
let idle: EventReader
let idleSince: number
beforeAll(async () => {
  service = await joinService()
  other = await service.startAnother({}, 'api')
  idleSince = performance.now()
  idle = await EventReader.open((await createAccount(service, service.manager, 'User')).client)
})
afterAll(async () => {
  await idle[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

describe('Stream', () => {
  it('tells of runs from start to end, on every process, and of nobody else', async () => {
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    const stranger = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, ['return 1', 'throw new Error("broken")'], { name: 'Orders' })
    await using here = await EventReader.open(client)
    await using there = await EventReader.open(other.client(client.keys))
    await using foreign = await EventReader.open(stranger.client)
    expect([here.status, here.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    await runToEnd(client, workflow.id)
    for (const reader of [here, there]) {
      await reader.wait('run.ended')
      const [started, first, second, ended] = reader.events
      const run = { accountId, workflowId: workflow.id, runNumber: 1, timestamp: expect.stringMatching(/Z$/) }
      expect(started).toEqual({
        id: expect.any(Number),
        type: 'run.started',
        data: { ...run, workflowName: 'Orders', runBy: 'API' },
      })
      const block = {
        ...run,
        workflowName: 'Orders',
        blockName: 'Block 1',
        uniqueBlockId: workflow.blocks[0],
        status: 'Ready',
        errorMessage: null,
      }
      expect(first).toMatchObject({ type: 'run.block', data: block })
      expect(second).toMatchObject({ type: 'run.block', data: { uniqueBlockId: workflow.blocks[1], status: 'Error' } })
      expect(ended).toMatchObject({
        type: 'run.ended',
        data: { ...run, workflowName: 'Orders', status: 'Error', errorMessage: expect.stringContaining('broken') },
      })
      const ids = reader.events.map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((one, other) => one - other))
    }
    expect(foreign.events).toEqual([])
  })

  it('goes on after the id that was seen last, and begins with now otherwise', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, ['return 1'])
    await runToEnd(client, workflow.id)
    const reader = await EventReader.open(client)
    await runToEnd(client, workflow.id)
    await reader.wait('run.ended')
    await reader[Symbol.asyncDispose]()
    expect(reader.events.filter(({ data }) => data.runNumber === 1)).toEqual([])
    await runToEnd(client, workflow.id)
    const seen = reader.events.at(-1)?.id ?? 0
    await using resumed = await EventReader.open(other.client(client.keys), '', { 'Last-Event-ID': String(seen) })
    await resumed.wait('run.ended')
    expect(resumed.events.map(({ type, data }) => [type, data.runNumber])).toEqual([
      ['run.started', 3],
      ['run.block', 3],
      ['run.ended', 3],
    ])
    // An id that was never given.
    await using odd = await EventReader.open(client, '', { 'Last-Event-ID': '999999999999' })
    await runToEnd(client, workflow.id)
    await odd.wait('run.ended')
    expect(odd.events.every(({ data }) => data.runNumber === 4)).toBe(true)
  })

  it('tells of one workflow, of all accounts in reach, of changes and of queues', async () => {
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    const one = await deployWorkflow(client, ['return 1'])
    const two = await deployWorkflow(client, ['return 2'])
    await using ofOne = await EventReader.open(client, `?workflowId=${one.id}`)
    await using across = await EventReader.open(service.manager, '?acrossAccounts=true')
    await runToEnd(client, two.id)
    await runToEnd(client, one.id)
    await ofOne.wait('run.ended')
    expect(new Set(ofOne.events.map(({ data }) => data.workflowId))).toEqual(new Set([one.id]))
    await across.wait('run.ended', 2)
    const webhook = await enableWebhook(client, one.id)
    await client.post(`/api/WebhookQueueHold/${one.id}`)
    await webhook.send({})
    const [changed] = await ofOne.wait('workflow.changed')
    expect(changed?.data).toMatchObject({ accountId, workflowId: one.id, workflowName: expect.any(String) })
    await ofOne.wait('queue.changed')
    await across.wait('queue.changed')
  })

  it('ends when the key is revoked, and when the reach is lost', async () => {
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const customer = await createAccount(service, service.manager, 'User')
    await service.asOwner('update accounts set created_by = $1 where id = $2', [partner.id, customer.id])
    const key = (await partner.client.post('/api/ApiKey', { label: 'stream' })).body
    await using byKey = await EventReader.open(service.client(key))
    await using managed = await eventually(async () => {
      const reader = await EventReader.open(partner.client, '', { ManagedAccountId: customer.id })
      return reader.status === 200 ? reader : undefined
    })
    await partner.client.get(`/api/DeleteApiKey/${key.id}`)
    await eventually(() => byKey.isOver)
    expect(managed.isOver).toBe(false)
    await service.asOwner('update accounts set created_by = null where id = $1', [customer.id])
    await eventually(() => managed.isOver)
  })

  it('cuts off a reader that does not read, and slows nobody else', async () => {
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    const url = new URL(service.baseUrl)
    const slow = createConnection({ host: url.hostname, port: Number(url.port) })
    slow.write(
      `GET /api/Stream HTTP/1.1\r\nHost: x\r\nConsumer: ${client.keys?.consumer}\r\nSecretKey: ${client.keys?.secretKey}\r\n\r\n`,
    )
    await new Promise((begun) => slow.once('data', begun))
    slow.pause()
    let isCut = false
    slow.on('close', () => {
      isCut = true
    })
    slow.on('error', () => {})
    await using reader = await EventReader.open(client)
    // Many times what the buffers of a connection hold.
    for (let batch = 1; batch <= 30; batch++) {
      await service.asOwner(
        `insert into stream_events (account_id, type, data, happened_at)
         select $1, 'queue.changed', '{"text":"' || repeat('x', 1000) || '"}', now() + interval '1 second' from generate_series(1, 400)`,
        [accountId],
      )
      await service.asOwner(`notify patchbay_stream, 'events'`)
      await reader.wait('queue.changed', batch * 400)
    }
    slow.resume()
    await eventually(() => isCut)
  })

  it('is an async iterator of the typed client', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const { id } = await deployWorkflow(client, ['return 1'])
    const abort = new AbortController()
    const sdk = createClient({ baseUrl: service.baseUrl, keys: client.keys as Keys })
    const events = sdk.stream({ workflowId: id, signal: abort.signal })
    const types: string[] = []
    const read = (async () => {
      for await (const { type, data } of events) {
        types.push(`${type} ${data['runNumber']}`)
        if (type === 'run.ended') abort.abort()
      }
    })()
    // Until the stream is open there is nothing to see.
    await eventually(
      async () =>
        (
          await service.asOwner(
            'select from stream_interest where scope_id = (select account_id from workflows where id = $1)',
            [id],
          )
        ).length > 0,
    )
    await runToEnd(client, id)
    await read
    expect(types).toEqual(['run.started 1', 'run.block 1', 'run.ended 1'])
    const refused = createClient({ baseUrl: service.baseUrl }).stream()
    await expect(refused.next()).rejects.toMatchObject({ status: 401 })
  })

  it('needs no CSRF token with a session', async () => {
    const { id, client } = await createAccount(service, service.manager, 'User')
    const cookie = 'patchbay_session=a-token-of-this-test'
    await service.asOwner(
      `insert into sessions (id_hash, account_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
      [hashToken('a-token-of-this-test'), id],
    )
    await using reader = await EventReader.open(service.client(undefined), '', { cookie })
    expect(reader.status).toBe(200)
    const workflow = await deployWorkflow(client, ['return 1'])
    const [changed] = await reader.wait('workflow.changed')
    expect(changed?.data).toMatchObject({ accountId: id, workflowId: workflow.id })
    const withoutToken = await service.client(undefined).with({ cookie }).get('/api/Workflows')
    expect(withoutToken.status).toBe(401)
  })

  it('refuses what it cannot stream', async () => {
    const stranger = await createOrganization(service)
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    expect((await stranger.manager.get(`/api/Stream?workflowId=${id}`)).status).toBe(404)
    expect((await service.manager.get('/api/Stream?workflowId=nonsense')).status).toBe(400)
    expect((await service.manager.with({ 'Last-Event-ID': 'nonsense' }).get('/api/Stream')).status).toBe(400)
    expect((await service.client(undefined).get('/api/Stream')).status).toBe(401)
  })

  it('says every 15 seconds that it is still there', async () => {
    const ofLife = () => idle.comments.filter((comment) => comment.startsWith(':')).length
    await eventually(() => ofLife() > 0)
    // The first one may come at once, each further one not sooner than 15 seconds after it.
    expect(ofLife()).toBeLessThanOrEqual(1 + Math.floor((performance.now() - idleSince) / 14_900))
    expect([idle.events, idle.isOver]).toEqual([[], false])
  })
})
