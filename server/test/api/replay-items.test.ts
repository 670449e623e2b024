// Replays of runs whose blocks run once for each item.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

let service: TestService
let target: HttpTarget
let registered: string
let calls = 0
const failing = new Set<string>()
beforeAll(async () => {
  service = await joinService()
  target = await startHttpTarget(({ url }) => {
    calls++
    const id = url.split('/').at(-1) as string
    if (failing.has(id)) return { status: 500, json: { error: id } }
    return { json: { id, large: id.startsWith('large') ? 'x'.repeat(1_500_000) : '' } }
  })
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const deploy = (ids: string[], flow: object = {}) =>
  deployWorkflow(
    service.manager,
    [
      `return ${JSON.stringify(ids)}`,
      {
        blockName: 'Ship',
        script: 'return (await api.get("http/" + item)).id',
        flow: {
          forEach: { key: 'item', concurrency: 3, maxFailures: 'all', ...(flow as { forEach?: object }).forEach },
          retry: (flow as { retry?: object }).retry ?? null,
        },
      },
      'return Datasource[0].length',
    ],
    { applications: { HTTP: registered } },
  )

async function replay(workflow: SampleWorkflow, script?: string, runNumbers = [1]) {
  const changes = script === undefined ? {} : { changes: { chain: [{ uniqueBlockId: workflow.blocks[1], script }] } }
  const before = calls
  const started = await service.manager.post(`/api/Replay/${workflow.id}`, { runNumbers, ...changes })
  expect(started.status, started.text).toBe(200)
  const { body } = await eventually(async () => {
    const answer = await service.manager.get(`/api/Replay/${started.body.replayId}`)
    return answer.body.state === 'Running' ? undefined : answer
  })
  expect(calls).toBe(before)
  return body.runs[0]
}

describe('a replay of items', () => {
  it('is the same, item by item, also of one that failed', async () => {
    failing.add('b')
    const workflow = await deploy(['a', 'b', 'c'])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', itemsFailed: 1 })
    const run = await replay(workflow)
    expect(run).toMatchObject({ outcome: 'same', message: null })
    expect(run.blocks[1].items).toEqual({ same: 3, different: 0, failed: 0, added: 0, removed: 0, first: [] })
    expect(run.blocks[0].items).toBe(null)
  })

  it('tells which items differ, fail, are added or removed', async () => {
    const workflow = await deploy(['x', 'y', 'z'])
    await runToEnd(service.manager, workflow.id)
    const script =
      'if (item === "x") throw new Error("no"); const { id } = await api.get("http/" + item); return item === "y" ? 7 : id'
    const { outcome, blocks } = await replay(workflow, script)
    expect(outcome).toBe('different')
    expect(blocks[1]).toMatchObject({ outcome: 'different', items: { same: 1, different: 1, failed: 1 } })
    expect(blocks[1].items.first).toMatchObject([
      { key: 'x', outcome: 'failed', result: [] },
      { key: 'y', outcome: 'different', result: [{ op: 'replace', path: '', value: 7 }] },
    ])
    const changes = { chain: [{ uniqueBlockId: workflow.blocks[0], script: 'return ["y", "z"]' }] }
    const started = await service.manager.post(`/api/Replay/${workflow.id}`, { runNumbers: [1], changes })
    const { body } = await eventually(async () => {
      const answer = await service.manager.get(`/api/Replay/${started.body.replayId}`)
      return answer.body.state === 'Running' ? undefined : answer
    })
    expect(body.runs[0].blocks[1].items).toMatchObject({
      same: 2,
      removed: 1,
      first: [{ key: 'x', outcome: 'removed' }],
    })
  })

  it('of a retry runs only what the retry ran', async () => {
    failing.add('r2')
    const workflow = await deploy(['r1', 'r2', 'r3'], { forEach: { maxFailures: 0 } })
    expect((await runToEnd(service.manager, workflow.id)).status).toBe('Error')
    failing.delete('r2')
    expect((await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)).status).toBe(200)
    expect((await endOf(service.manager, workflow.id, 2)).status).toBe('Ready')
    expect(await replay(workflow, undefined, [2])).toMatchObject({ outcome: 'same' })
  })

  it('of more than 10 MiB covers failed items and the first 50, and says so', async () => {
    failing.add('large-bad')
    const ids = [...Array.from({ length: 50 }, (_, no) => `s${no}`), 'large-bad']
    const workflow = await deploy([...ids, ...Array.from({ length: 9 }, (_, no) => `large${no}`)])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', itemsTotal: 60 })
    const run = await replay(workflow)
    expect(run.message).toBe(
      'The run received more than 10 MiB, so only failed items and the first 50 of each block were recorded and replayed.',
    )
    expect(run).toMatchObject({ outcome: 'same', blocks: [{}, { items: { same: 60, failed: 0 } }, {}] })
  })
})
