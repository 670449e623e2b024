import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { WriteIntents } from '../../src/runs/execute/write-intents.ts'
import { createAccount } from '../harness/accounts.ts'
import type { Answer } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { deployWorkflow, runToEnd, type SampleWorkflow, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const token = 's3cret-token-of-the-target'

describe('GET /api/GetBlockCalls', () => {
  let service: TestService
  let target: HttpTarget
  let registered: string

  beforeAll(async () => {
    service = await joinService()
    target = await startHttpTarget()
    const credentialsJson = JSON.stringify({ baseUrl: `${target.origin}/v1`, authType: 'bearer', token })
    const answer = await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })
    expect(answer.status, answer.text).toBe(200)
    registered = answer.body
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    target.received.length = 0
    target.answer = ({ url, headers }) => ({ json: { url, authorization: headers.authorization } })
  })

  const deploy = (scripts: string[], more: object = {}) =>
    deployWorkflow(service.manager, scripts, { applications: { HTTP: registered }, ...more })
  const callsOf = (workflow: SampleWorkflow, no = 1, more = ''): Promise<Answer> =>
    service.manager.get(`/api/GetBlockCalls/${workflow.id}?uniqueBlockId=${workflow.blocks[no - 1]}${more}`)

  it('tells method, address, status, time and sizes of every call in order', async () => {
    const workflow = await deploy([
      `await api.get('http/items?page=2')
       await api.post('http/items', { name: 'x' })
       await api.send('http', { verb: 'DELETE', requestUrl: 'items/7', responseCodes: [404] })
       return 1`,
      'return 2',
    ])
    target.answer = ({ method }) => ({ status: method === 'DELETE' ? 404 : 200, json: { ok: true } })
    const run = await runToEnd(service.manager, workflow.id)
    const { status, body } = await callsOf(workflow)
    expect(status).toBe(200)
    expect(body).toMatchObject({ runNumber: 1, uniqueBlockId: workflow.blocks[0], omitted: 0 })
    expect(body.result).toMatchObject([
      { method: 'GET', url: `${target.origin}/v1/items?page=2`, statusCode: 200, idempotencyKey: null },
      { method: 'POST', url: `${target.origin}/v1/items`, statusCode: 200, requestBytes: 12, responseBytes: 11 },
      { method: 'DELETE', url: `${target.origin}/v1/items/7`, statusCode: 404, outcome: 'Answered' },
    ])
    for (const call of body.result) {
      expect(call).toMatchObject({ outcome: 'Answered', errorMessage: null, attempt: 1, requestBody: null })
      expect(call.durationInMilliSec).toBeGreaterThanOrEqual(0)
      expect(call.startDateTimeUTC >= run.startDateTimeUTC && call.startDateTimeUTC <= run.endDateTimeUTC).toBe(true)
    }
    expect(body.result[1].idempotencyKey).toBe(target.received[1]?.headers['idempotency-key'])
    expect((await callsOf(workflow, 2)).body.result).toEqual([])
  })

  it('tells the calls of a block that failed, and those without an answer', async () => {
    const workflow = await deploy([
      `await api.post('http/orders', 1)
       await api.send('http', { verb: 'PUT', requestUrl: 'orders/1?note=private', data: 2 })`,
    ])
    target.answer = ({ method }, response) => {
      if (method === 'PUT') response.destroy()
      return method === 'PUT' ? undefined : { json: null }
    }
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Error' })
    const { result } = (await callsOf(workflow)).body
    expect(result).toMatchObject([
      { method: 'POST', outcome: 'Answered', statusCode: 200 },
      { method: 'PUT', outcome: 'Failed', statusCode: null, url: 'HTTP/orders/1' },
    ])
    expect(result[1].errorMessage).toContain('closed the connection')
  })

  it('keeps bodies only where the workflow asks for them, cut and without secrets', async () => {
    const script = `await api.post('http/items?api_key=k3y-in-query', { text: 'body of ' + variables.word })
      await api.get('http/large')
      return 1`
    const given = { word: { value: 'passw0rd-of-the-workflow', type: 'password' } }
    const binding = { word: { variableSource: 'Workflow', variableName: 'word' } }
    const workflow = await deployWorkflow(service.manager, [{ script, variables: binding }], {
      applications: { HTTP: registered },
      variables: given,
      recordCallBodies: true,
    })
    target.answer = ({ url, headers }) =>
      url.endsWith('large') ? { body: 'ä'.repeat(100_000) } : { json: { seen: headers.authorization } }
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    const { body, text } = await callsOf(workflow)
    expect(body.result[0]).toMatchObject({
      url: `${target.origin}/v1/items?api_key=***`,
      requestBody: '{"text":"body of ***"}',
      responseBody: '{"seen":"Bearer ***"}',
    })
    expect(body.result[1].responseBytes).toBe(200_000)
    expect(body.result[1].responseBody).toBe(`${'ä'.repeat(16 * 1024)}…`)
    const stored = JSON.stringify(
      await service.asOwner('select b.calls, w.url from run_blocks b left join run_writes w using (run_id)'),
    )
    for (const secret of [token, 'passw0rd', 'k3y-in-query']) expect(text + stored).not.toContain(secret)
    const detail = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(detail.recordCallBodies).toBe(true)
  })

  it('notes a write before it is sent, so that it can be read while its block is under way', async () => {
    const workflow = await deploy([`await api.post('http/slow?token=x', {}); return 1`])
    const held = Promise.withResolvers<void>()
    let seen: Answer | undefined
    target.answer = async () => {
      seen = await callsOf(workflow)
      held.resolve()
      return { json: 1 }
    }
    await startRun(service.manager, workflow.id)
    await held.promise
    expect(seen?.status, seen?.text).toBe(200)
    expect(seen?.body.result).toMatchObject([
      { method: 'POST', url: 'HTTP/slow', outcome: 'Unknown', statusCode: null },
    ])
    const { result } = await eventually(async () => {
      const { body } = await callsOf(workflow)
      return body.result[0]?.outcome === 'Answered' ? body : undefined
    })
    expect(result).toHaveLength(1)
  })

  it('notes nothing for a worker that does not hold the run, which may then send nothing', async () => {
    const workflow = await deploy(["await api.post('http/held', 1); return 1"])
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const intents = new WriteIntents(database.system)
    const note = async (attempt: number) => {
      const [run] = await service.asOwner(
        'select id, tableoid::regclass::text as partition from runs where workflow_id = $1',
        [workflow.id],
      )
      return intents.note({
        claim: { runId: String(run?.['id']), attempt, partition: String(run?.['partition']) },
        accountId: service.firstAccount.accountId,
        blockId: workflow.blocks[0] as string,
        method: 'POST',
        url: 'HTTP/again',
        idempotencyKey: `by-hand-${attempt}`,
        sentAt: new Date(),
      })
    }
    let answers: boolean[] = []
    target.answer = async () => {
      answers = await Promise.all([note(0), note(1)])
      return { json: 1 }
    }
    await runToEnd(service.manager, workflow.id)
    expect(answers).toEqual([true, false])
    expect(await note(0)).toBe(false)
    const { result } = (await callsOf(workflow)).body
    expect(result.map((call: { idempotencyKey: string }) => call.idempotencyKey)).toEqual([
      expect.stringContaining(workflow.blocks[0] as string),
      'by-hand-0',
    ])
  })

  it('keeps writes when there are more calls than it shows', async () => {
    const workflow = await deploy([
      `for (let i = 0; i < 1005; i++) await api.get('http/many')
       await api.post('http/last', 1)
       return 1`,
    ])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    const { result, omitted } = (await callsOf(workflow)).body
    expect([result.length, omitted, result.at(-1).method]).toEqual([1001, 5, 'POST'])
  })

  it('cuts addresses that nobody would read to their end, and takes down those that cannot be stored', async () => {
    const workflow = await deploy([
      `await api.send('http', { verb: 'POST', requestUrl: 'a\\u0000b\\ud800', data: 1 })
       await api.send('http', { verb: 'POST', requestUrl: 'x'.repeat(9_000), data: 1 })
       const refused = []
       for (const requestUrl of ['x'.repeat(20_001), 'x'.repeat(5_000_000)])
         await api.send('http', { verb: 'POST', requestUrl, data: 1 }).catch((error) => refused.push(error.message))
       return refused`,
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run, JSON.stringify(run)).toMatchObject({ status: 'Ready' })
    const { result } = (await callsOf(workflow)).body
    expect(result.map(({ url }: { url: string }) => url.length < 2_100)).toEqual([true, true])
    const noted = await service.asOwner('select length(url) as length from run_writes where block_id = $1', [
      workflow.blocks[0],
    ])
    expect(noted.map(({ length }) => Number(length) < 2_100)).toEqual([true, true])
    const block = await service.manager.get(
      `/api/GetBlockResult/${workflow.id}?uniqueBlockId=${workflow.blocks[0]}&runNumber=1`,
    )
    expect(block.body.result).toEqual(Array(2).fill('api.send: requestUrl must have at most 20000 characters.'))
  })

  it('knows no run, block or workflow of others', async () => {
    const workflow = await deploy(["await api.post('http/x', 1); return 1"])
    await runToEnd(service.manager, workflow.id)
    const unknown = await callsOf(workflow, 1, '&runNumber=2')
    expect(unknown.status).toBe(404)
    const block = await service.manager.get(`/api/GetBlockCalls/${workflow.id}?uniqueBlockId=${workflow.id}`)
    expect(block.status).toBe(404)
    const other = (await createAccount(service, service.manager, 'User')).client
    const foreign = await other.get(`/api/GetBlockCalls/${workflow.id}?uniqueBlockId=${workflow.blocks[0]}`)
    expect(foreign.status).toBe(404)
    expect((await service.manager.get(`/api/GetBlockCalls/${workflow.id}`)).status).toBe(400)
  })

  it('goes with its workflow', async () => {
    const workflow = await deploy(["await api.post('http/x', 1); return 1"])
    await runToEnd(service.manager, workflow.id)
    const count = () => service.asOwner('select from run_writes where block_id = $1', [workflow.blocks[0]])
    expect(await count()).toHaveLength(1)
    await service.manager.get(`/api/ArchiveWorkflow/${workflow.id}`)
    const deleted = await service.manager.get(`/api/DeleteWorkflow/${workflow.id}`)
    expect(deleted.status, deleted.text).toBe(200)
    expect(await count()).toHaveLength(0)
  })
})
