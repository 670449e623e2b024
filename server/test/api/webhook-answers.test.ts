// Webhooks that answer with what their run says.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { Slots } from '../../src/http/index.ts'
import { EndWatch } from '../../src/runs/await/end-watch.ts'
import { awaitAnswer } from '../../src/webhooks/intake/await-answer.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, type SampleWebhook } from '../harness/webhooks.ts'
import { blockPath, createWorkflow, deployWorkflow, endOf, type SampleWorkflow } from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = service.manager
})
afterAll(() => service[Symbol.asyncDispose]())

const untilLet = 'while (!myVault.contains("go")) await sleep(20);'

async function answering(scripts: string[], settings: object = {}, more: Record<string, unknown> = {}) {
  const workflow = await deployWorkflow(client, scripts, more)
  const hook = await enableWebhook(client, workflow.id, { respondWith: 'result', ...settings })
  return { ...hook, workflow, setGo: () => client.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: 1 }) }
}

function itemsOf(kind: 'Queue' | 'History', workflow: SampleWorkflow) {
  return client.post(`/api/GetWebhook${kind}/${workflow.id}`, {}).then(({ body }) => body.items)
}

describe('settings', () => {
  it('respondWith and respondSeconds have defaults and come back as they were given', async () => {
    const workflow = await createWorkflow(client, ['return 1'])
    await enableWebhook(client, workflow.id)
    const read = async () => (await client.get(`/api/WebhookSettings/${workflow.id}`)).body
    expect(await read()).toMatchObject({ respondWith: 'accepted', respondSeconds: 25 })
    await client.post(`/api/WebhookSettingsEnable/${workflow.id}`, { respondWith: 'result', respondSeconds: 60 })
    expect(await read()).toMatchObject({ respondWith: 'result', respondSeconds: 60 })
  })

  it.each([
    [{ respondWith: 'result', isBatch: true }, 'The field respondWith cannot be result together with isBatch'],
    [{ respondWith: 'result', strictOrderProcessing: true }, 'strictOrderProcessing'],
    [{ respondWith: 'never' }, 'respondWith'],
    [{ respondSeconds: 0 }, 'respondSeconds'],
    [{ respondSeconds: 61 }, 'respondSeconds'],
  ])('%j is 400', async (settings, field) => {
    const workflow = await createWorkflow(client, ['return 1'])
    const refused = await client.post(`/api/WebhookSettingsEnable/${workflow.id}`, settings)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain(field)
  })
})

describe('the response', () => {
  it('is the result of the run as JSON', async () => {
    const { send } = await answering(['return { sum: webhook.body.a + webhook.body.b, text: "å" }'])
    const answer = await send({ a: 1, b: 2 })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual({ sum: 3, text: 'å' })
  })

  it('is that of the output block, and null when there is none', async () => {
    const { send, workflow } = await answering(['return { of: "first" }', 'return 2'])
    await client.post(`/api/Workflow/${workflow.id}`, { outputBlock: workflow.blocks[0] })
    expect((await send({})).body).toEqual({ of: 'first' })
    const nothing = await answering(['fx.stopAfterThisBlock(true)', 'return 2'])
    expect((await nothing.send({})).text).toBe('null')
  })

  it('may be larger than what is kept for repeated deliveries', async () => {
    const { send } = await answering(['return "x".repeat(300000)'])
    const answer = await send({})
    expect(answer.text).toHaveLength(300_002)
  })

  it('is what a script gave to fx.respond, sent when its block is recorded; the run goes on', async () => {
    const respond = 'fx.respond({ statusCode: 201, headers: { "X-Order": 7, Location: "/orders/7" }, body: { id: 7 } })'
    const { send, workflow, setGo } = await answering([respond, `${untilLet} return "later"`], { respondSeconds: 60 })
    const answer = await send({})
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-order')).toBe('7')
    expect(answer.headers.get('location')).toBe('/orders/7')
    expect(answer.body).toEqual({ id: 7 })
    await setGo()
    expect((await endOf(client, workflow.id, 1)).status).toBe('Ready')
  })

  it('is the first of several', async () => {
    const { send } = await answering(['fx.respond({ body: 1 }); fx.respond({ body: 2 })', 'fx.respond({ body: 3 })'])
    expect((await send({})).text).toBe('1')
  })

  it('that was given before a failure stands, also in the block that fails', async () => {
    const { send, workflow } = await answering(['fx.respond({ body: "taken" }); throw new Error("later")'])
    const answer = await send({})
    expect([answer.status, answer.body]).toEqual([200, 'taken'])
    expect((await endOf(client, workflow.id, 1)).status).toBe('Error')
  })

  it('of a failed run is 502 without its reason, and the request leaves the queue as Skipped', async () => {
    const { send, workflow } = await answering(['throw new Error("No stock")'])
    const answer = await send({})
    expect(answer.status).toBe(502)
    expect(answer.body).toEqual({ code: 502, errorMessage: 'The workflow failed.', response: null })
    expect(await itemsOf('Queue', workflow)).toEqual([])
    const [item] = await itemsOf('History', workflow)
    expect(item).toMatchObject({ status: 'Skipped', runNumber: 1 })
    expect(item.errorMessage).toContain('No stock')
  })

  it('after respondSeconds is 202 with the id of the request', async () => {
    const { send, workflow, setGo } = await answering([`${untilLet} return 1`], { respondSeconds: 1 })
    const answer = await send({})
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ webhookId: expect.any(String) })
    await setGo()
    await eventually(async () => (await itemsOf('History', workflow))[0]?.status === 'Done')
  })

  it('of a workflow in development is 200 with the id of the request', async () => {
    const workflow = await createWorkflow(client, ['return 1'])
    const { send } = await enableWebhook(client, workflow.id, { respondWith: 'result' })
    expect(await send({})).toMatchObject({ status: 200, body: { webhookId: expect.any(String) } })
  })

  it('of a held queue is 202 at once', async () => {
    const { send, workflow } = await answering(['return 1'], { respondSeconds: 60 })
    expect((await client.post(`/api/WebhookQueueHold/${workflow.id}`)).status).toBe(200)
    expect(await send({})).toMatchObject({ status: 202, body: { webhookId: expect.any(String) } })
  })

  it('of a request that the skip script skipped is 200, of one over which it failed 502', async () => {
    const skipScript = 'if (webhook.body.fail) throw new Error("cannot"); return webhook.body.skip'
    const { send, workflow } = await answering(['return "ran"'], { skipScript, respondSeconds: 60 })
    expect(await send({ skip: true })).toMatchObject({ status: 200, body: { webhookId: expect.any(String) } })
    expect(await send({ fail: true })).toMatchObject({ status: 502 })
    expect(await send({})).toMatchObject({ status: 200, body: 'ran' })
    expect(await itemsOf('Queue', workflow)).toEqual([])
  })

  it('is 202 at once when the organization has its share of waits, whichever of its accounts have them', async () => {
    await using idle = await startService({ role: 'api' })
    const workflow = await deployWorkflow(idle.manager, ['return 1'])
    const { send } = await enableWebhook(idle.manager, workflow.id)
    const { webhookId } = (await send({})).body
    const { accountId, organizationId } = idle.firstAccount
    const slots = new Slots()
    for (const other of ['one', 'two'])
      for (let n = 0; n < 200; n++) slots.forAccount('wait', { accountId: other, organizationId })
    await using database = new Database({ connectionString: idle.databaseUrl }, () => {})
    await using ends = new EndWatch(database, slots, () => {})
    const answer = awaitAnswer(
      { database, ends, readResult: async () => null },
      { accountId, organizationId, respondSeconds: 3600 },
      { kind: 'stored', webhookId },
    )
    expect(await answer).toMatchObject({ status: 202 })
  })

  it('is given at once when the service stops', async () => {
    const another = await startService({ role: 'api' })
    const workflow = await deployWorkflow(another.manager, ['return 1'])
    const { send } = await enableWebhook(another.manager, workflow.id, { respondWith: 'result', respondSeconds: 60 })
    const answer = send({})
    await eventually(async () => (await another.manager.post(`/api/GetWebhookQueue/${workflow.id}`, {})).body.length)
    await another[Symbol.asyncDispose]()
    expect((await answer).status).toBe(202)
  })
})

describe('fx.respond', () => {
  const refusal = async (response: string) => {
    const { send } = await answering([`try { fx.respond(${response}) } catch (error) { return error.message }`])
    return (await send({})).body
  }

  it.each([
    ['{ statusCode: 199 }', 'fx.respond: statusCode must be an integer from 200 to 599.'],
    ['{ statusCode: 600 }', 'fx.respond: statusCode must be an integer from 200 to 599.'],
    ['{ statusCode: "200" }', 'fx.respond: statusCode must be an integer from 200 to 599.'],
    ['{ headers: [] }', 'fx.respond: headers must be an object.'],
    ['{ headers: { "a b": "c" } }', 'fx.respond: "a b" is not the name of a header.'],
    ['{ headers: { a: "b\\r\\nc: d" } }', 'fx.respond: the value of the header a is not valid.'],
    ['{ status: 200 }', 'fx.respond: unknown field "status".'],
    ['"text"', 'fx.respond needs a response: an object.'],
  ])('of %s throws', async (response, message) => {
    expect(await refusal(response)).toBe(message)
  })

  it('sends text without Content-Type as a JSON string, with one as it is', async () => {
    const json = await (await answering(['fx.respond({ body: "a \\"b\\"" })'])).send({})
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(json.text).toBe('"a \\"b\\""')
    const script = 'fx.respond({ headers: { "content-type": "text/csv" }, body: "a;b" })'
    const csv = await (await answering([script])).send({})
    expect([csv.headers.get('content-type'), csv.text]).toEqual(['text/csv', 'a;b'])
  })

  it('may answer without a body', async () => {
    const answer = await (await answering(['fx.respond({ statusCode: 204, body: "ignored" })'])).send({})
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it('leaves out headers that are not the script’s to set, and says so in the log', async () => {
    const refused = {
      Connection: 'close',
      'Transfer-Encoding': 'chunked',
      'content-length': '1',
      'Set-Cookie': 'a=b',
      'Strict-Transport-Security': 'max-age=1',
      'Access-Control-Allow-Origin': '*',
      'X-Request-Id': 'mine',
    }
    const { send, workflow } = await answering([`fx.respond({ headers: ${JSON.stringify(refused)}, body: "whole" })`])
    const answer = await send({})
    expect(answer.body).toBe('whole')
    for (const name of ['set-cookie', 'strict-transport-security', 'access-control-allow-origin'])
      expect(answer.headers.get(name)).toBeNull()
    expect(answer.headers.get('x-request-id')).not.toBe('mine')
    const log = (await client.get(blockPath('GetBlockUserLog', workflow, 1))).body.result.join('\n')
    for (const name of Object.keys(refused)) expect(log).toContain(name)
  })

  it('sends HTML with Content-Security-Policy: sandbox, whatever the script says', async () => {
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': 'default-src *' }
    const script = `fx.respond({ headers: ${JSON.stringify(headers)}, body: "<h1>Thanks</h1>" })`
    const answer = await (await answering([script])).send({})
    expect(answer.headers.get('content-security-policy')).toBe('sandbox')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.text).toBe('<h1>Thanks</h1>')
  })

  it('hides secrets of the workflow', async () => {
    const variables = { token: { value: 'sesame-1234', type: 'password' } }
    const { send } = await answering(['fx.respond({ body: { said: variables.token } })'], {}, { variables })
    expect((await send({})).text).not.toContain('sesame-1234')
  })

  it('does nothing where nobody waits', async () => {
    const workflow = await deployWorkflow(client, ['fx.respond({ body: 1 }); return 2'])
    expect((await client.post(`/api/RunAndWait/${workflow.id}`, {})).body).toMatchObject({ status: 'Ready', result: 2 })
    const { send } = await enableWebhook(client, workflow.id)
    expect((await send({})).body).toEqual({ webhookId: expect.any(String) })
    expect(await service.asOwner('select from webhook_answers where workflow_id = $1', [workflow.id])).toEqual([])
  })
})

describe('a repeated delivery', () => {
  const again = (hook: SampleWebhook, id: string) => hook.send({}, { 'X-GitHub-Delivery': id })

  it('gets the stored answer, whatever it was, and starts no run', async () => {
    for (const script of ['fx.respond({ statusCode: 207, body: run.runNumber })', 'return run.runNumber', 'throw 1']) {
      const hook = await answering([script])
      const first = await again(hook, 'one')
      const second = await again(hook, 'one')
      expect([second.status, second.text]).toEqual([first.status, first.text])
      const runs = await client.post(`/api/GetRunHistory/${hook.workflowId}`, { page: 0, size: 5 })
      expect(runs.body.total).toBe(1)
    }
  })

  it('of one that is still worked on waits for the same answer', async () => {
    const hook = await answering([`${untilLet} return "once"`], { respondSeconds: 60 })
    const both = [again(hook, 'one'), again(hook, 'one')]
    await eventually(() => itemsOf('Queue', hook.workflow).then((items) => items.length === 1))
    await hook.setGo()
    expect((await Promise.all(both)).map(({ body }) => body)).toEqual(['once', 'once'])
  })

  it('gets 200 with the id when the answer was larger than 64 KiB', async () => {
    for (const script of ['return "x".repeat(65_600)', 'fx.respond({ body: "x".repeat(65_600) })']) {
      const hook = await answering([script])
      expect((await again(hook, 'one')).text.length).toBeGreaterThan(65_536)
      expect(await again(hook, 'one')).toMatchObject({ status: 200, body: { webhookId: expect.any(String) } })
    }
  })
})
