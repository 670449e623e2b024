// What items do besides their results, what is known of them meanwhile, and what a retry leaves alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import {
  blockPath,
  blockResult,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
let client: Client
let target: HttpTarget
let registered: string
beforeAll(async () => {
  service = await joinService()
  client = service.manager
  target = await startHttpTarget(() => ({ json: 1 }))
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  const applicationId = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
  const answer = await client.post('/api/RegApplication', { applicationId, credentialsJson })
  expect(answer.status, answer.text).toBe(200)
  registered = answer.body
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const deploy = (list: string, script: string, forEach: object = {}, flow: object = {}) =>
  deployWorkflow(client, [{ script: list }, { blockName: 'Ship', script, flow: { forEach, ...flow } }], {
    applications: { HTTP: registered },
  })
const setVault = (workflow: SampleWorkflow, key: string, jsonData: unknown) =>
  client.post(`/api/MyVaultSet/${workflow.id}/${key}`, { jsonData })
const getVault = async (workflow: SampleWorkflow, key: string) =>
  (await client.get(`/api/MyVaultGet/${workflow.id}/${key}`)).body
const itemsOf = async (workflow: SampleWorkflow, more: object = {}) =>
  (
    await client.post(`/api/GetBlockItems/${workflow.id}`, {
      uniqueBlockId: workflow.blocks[1],
      page: 0,
      size: 100,
      ...more,
    })
  ).body
const retry = async (workflow: SampleWorkflow, runNumber = 1) => {
  const answer = await client.get(`/api/RetryRun/${workflow.id}?runNumber=${runNumber}`)
  expect(answer.status, answer.text).toBe(200)
  return endOf(client, workflow.id, Number(answer.headers.get('x-run-number')))
}
const resultOf = async (workflow: SampleWorkflow, no: number, runNumber?: number) =>
  (await blockResult(client, workflow, no, runNumber)).body.result

describe('vault values that items set for the end of the run', () => {
  it('are written when it completes, that of the later item for the same key', async () => {
    const script = `myVault.setOnComplete("last", index); session.vault["k" + index] = itemKey
      myVault.setGlobalOnComplete("flow-items-global", index)
      return session.vault.last ?? "unset"`
    const workflow = await deploy('return [1, 2, 3]', script, { concurrency: 3 })
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready' })
    expect(await resultOf(workflow, 2)).toEqual([0, 1, 2])
    expect(await getVault(workflow, 'last')).toBe(2)
    expect(await getVault(workflow, 'k1')).toBe('1')
    const { accountId } = service.firstAccount
    expect((await client.get(`/api/MyVaultGetGlobal/${accountId}/flow-items-global`)).body).toBe(2)
  })

  it('of items that succeeded before a retry are not lost, and those of failed items are', async () => {
    const script = `session.vault["of" + itemKey] = true
      if (itemKey === "b" && !myVault.contains("open")) throw new Error("closed")`
    const workflow = await deploy('return ["a", "b"]', script, { key: 'item' })
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Error' })
    expect((await client.get(`/api/MyVaultContains/${workflow.id}/ofa`)).body).toBe(false)
    await setVault(workflow, 'open', 1)
    expect(await retry(workflow)).toMatchObject({ status: 'Ready' })
    expect((await client.get(`/api/MyVaultContains/${workflow.id}/ofa`)).body).toBe(true)
    expect((await client.get(`/api/MyVaultContains/${workflow.id}/ofb`)).body).toBe(true)
  })
})

describe('fx.respond in an item', () => {
  it('answers the request when the item is recorded; the first one counts and the others go on', async () => {
    const script = `if (index === 1) fx.respond({ statusCode: 201, body: { of: itemKey } })
      if (index === 2) { while (!myVault.contains("go")) await sleep(20); fx.respond({ body: "late" }) }`
    const workflow = await deploy('return ["a", "b", "c"]', script, { key: 'item' })
    const { send } = await enableWebhook(client, workflow.id, { respondWith: 'result', respondSeconds: 60 })
    const answer = await send({})
    expect([answer.status, answer.body]).toEqual([201, { of: 'b' }])
    expect((await findRun(client, workflow.id, 1)).endDateTimeUTC).toBeNull()
    await setVault(workflow, 'go', 1)
    expect(await endOf(client, workflow.id, 1)).toMatchObject({ status: 'Ready' })
  })
})

describe('items in progress', () => {
  it('are processing, and only those', async () => {
    const script = `if (index === 1) return 1
      while (!myVault.contains("go")) await sleep(20)`
    const workflow = await deploy('return [1, 2, 3, 4, 5]', script, { key: '"k" + item', concurrency: 2 })
    const number = await startRun(client, workflow.id)
    const body = await eventually(async () => {
      const found = await itemsOf(workflow)
      return found.counts?.succeeded === 1 && found
    })
    expect(body.counts).toEqual({ pending: 2, processing: 2, waiting: 0, succeeded: 1, failed: 0, skipped: 0 })
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual([
      'processing',
      'succeeded',
      'processing',
      'pending',
      'pending',
    ])
    const processing = await itemsOf(workflow, { status: 'processing' })
    expect(processing.items.map(({ key }: { key: string }) => key)).toEqual(['k1', 'k3'])
    expect(processing.total).toBe(2)
    const statusOf = async (key: string) =>
      (await client.get(`/api/GetBlockItem/${workflow.id}?uniqueBlockId=${workflow.blocks[1]}&itemKey=${key}`)).body
        .status
    expect([await statusOf('k3'), await statusOf('k4')]).toEqual(['processing', 'pending'])
    await setVault(workflow, 'go', 1)
    await endOf(client, workflow.id, number)
    expect((await itemsOf(workflow)).counts).toMatchObject({ processing: 0, succeeded: 5 })
  })
})

describe('tries before a wait', () => {
  const script = 'await api.post("http/orders", 1); if (run.try < 3) throw new Error("no"); return run.try'

  it.each([
    ['an item', { forEach: { items: '["a"]', key: 'item' } }, '&itemKey=a'],
    ['a block', {}, ''],
  ])('of %s are told with their calls', async (_what, flow, more) => {
    const workflow = await deployWorkflow(
      client,
      ['return 1', { script, flow: { ...flow, retry: { times: 2, firstSeconds: 0.2 } } }],
      { applications: { HTTP: registered } },
    )
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready' })
    const { body } = await client.get(`${blockPath('GetBlockCalls', workflow, 2)}${more}`)
    expect(body.result).toHaveLength(3)
    expect(new Set(body.result.map(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey)).size).toBe(1)
  })

  it('do not ask for the condition of the block again', async () => {
    const once = 'if (run.try < 2) throw new Error("no"); return 1'
    const workflow = await deployWorkflow(client, [
      'return 1',
      {
        script: once,
        flow: {
          runWhen: 'Date.now() < session.vars.until',
          forEach: { items: '[1]' },
          retry: { times: 1, firstSeconds: 1 },
        },
        after: [1],
      },
    ])
    await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[0], script: 'session.vars.until = Date.now() + 900; return 1' }],
    })
    await runToEnd(client, workflow.id)
    expect(await resultOf(workflow, 2)).toEqual([1])
  })
})

describe('a block with items', () => {
  it('fails after 24 hours of work, and a retry goes on with the items that are left', async () => {
    const script = 'if (index === 0 && run.runNumber === 1) throw new Error("no"); return index'
    const workflow = await deploy('return [1, 2, 3]', script, {}, { retry: { times: 1, firstSeconds: 3000 } })
    const number = await startRun(client, workflow.id)
    await eventually(async () => (await findRun(client, workflow.id, number)).status === 'Waiting')
    const ofRun = '(select id from runs where workflow_id = $1)'
    await service.asOwner(`update run_item_lists set used_ms = 86400001 where run_id = ${ofRun}`, [workflow.id])
    await service.asOwner(`update run_waits set due_at = now() where run_id = ${ofRun}`, [workflow.id])
    await service.asOwner(`update jobs set due_at = now() where id = ${ofRun}`, [workflow.id])
    const run = await endOf(client, workflow.id, number)
    expect(run.errorMessage).toContain('The block reached its limit of 24 hours before 1 of 3 items.')
    expect(await retry(workflow)).toMatchObject({ status: 'Ready' })
    expect(await resultOf(workflow, 2, 2)).toEqual([0, 1, 2])
  })
})

describe('a retry', () => {
  it('never runs an item again that succeeded, also when its list is made anew and has grown', async () => {
    const workflow = await deployWorkflow(client, [
      {
        script: 'if (run.runNumber === 1) throw new Error("half"); return ["c", "a"]',
        flow: { onError: 'continue' },
      },
      { script: 'return ["a", "b"]', after: [] },
      {
        after: [1, 2],
        script: 'return [itemKey, run.runNumber]',
        flow: {
          needs: 'any',
          forEach: { items: '[...new Set([...(Datasource[0] ?? []), ...Datasource[1]])]', key: 'item' },
        },
      },
    ])
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready', blockErrors: 1 })
    expect(await retry(workflow)).toMatchObject({ status: 'Ready', blockErrors: 0 })
    expect(await resultOf(workflow, 3, 2)).toEqual([
      ['c', 2],
      ['a', 1],
      ['b', 1],
    ])
  })

  it('with other items in the newest revision matches them by key', async () => {
    const script = 'if (itemKey === "bad") throw new Error("bad"); return [itemKey, index, run.runNumber]'
    const workflow = await deploy('return ["a", "bad", "b"]', script, { key: 'item' })
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Error' })
    const changed = await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [
        {
          uniqueBlockId: workflow.blocks[1],
          forEach: { key: 'item', items: '["new"].concat(Datasource[0].filter((one) => one !== "bad"))' },
        },
      ],
    })
    expect(changed.status, changed.text).toBe(200)
    expect(await retry(workflow)).toMatchObject({ status: 'Ready' })
    expect(await resultOf(workflow, 2, 2)).toEqual([
      ['new', 0, 2],
      ['a', 0, 1],
      ['b', 2, 1],
    ])
    expect((await itemsOf(workflow, { runNumber: 2 })).counts).toMatchObject({ succeeded: 3, pending: 0 })
  })

  it('after results that were too large finishes without running an item again', async () => {
    const script = 'return run.runNumber + "x".repeat(900000)'
    const workflow = await deploy('return Array.from({ length: 40 }, (_, n) => n)', script, { concurrency: 4 })
    const run = await runToEnd(client, workflow.id)
    expect(run.errorMessage).toContain('Use collect: "counts", and retry the run.')
    await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[1], forEach: { concurrency: 4, collect: 'counts' } }],
    })
    expect(await retry(workflow)).toMatchObject({ status: 'Ready' })
    expect(await resultOf(workflow, 2, 2)).toEqual({ total: 40, succeeded: 40, failed: 0, skipped: 0 })
    const path = `/api/GetBlockItem/${workflow.id}?uniqueBlockId=${workflow.blocks[1]}&itemKey=3`
    expect((await client.get(path)).body.result[0]).toBe('1')
  })
})
