// PATCHBAY_CONTENTS_URL: large contents of runs and webhook requests lie in a storage, sealed, and are read as if they lay in the database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { replayToEnd } from '../harness/replays.ts'
import { startBucket, type TestBucket } from '../harness/s3-bucket.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deploy, startUpgrade, twoVersions, upgradeIn } from '../harness/upgrades.ts'
import { deployWebhook, enableWebhook, leftQueue } from '../harness/webhooks.ts'
import {
  blockPath,
  blockResult,
  createWorkflow,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

const words = (word: string) => `${word} `.repeat(3000)

let bucket: TestBucket
let service: TestService
let target: HttpTarget
beforeAll(async () => {
  bucket = await startBucket()
  target = await startHttpTarget(() => ({ json: { answer: words('answered') } }))
  service = await startService({ env: bucket.contentsEnv('s3://shares/some/prefix') })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
  await bucket[Symbol.asyncDispose]()
})

type Row = { run_id: string; result: string; log: string; session: string; calls: string; call_count: number }
const rowOf = async (workflow: SampleWorkflow, no = 1) => {
  const rows = await service.asOwner(
    'select b.*, count_calls(b.calls) as call_count from run_blocks b where block_id = $1 order by run_id desc',
    [workflow.blocks[no - 1]],
  )
  return rows[0] as Row
}
const objectOf = (reference: string) => reference.slice(1, 37)
const reference = /^@[0-9a-f-]{36} \d+ \d+$/

async function registerTarget() {
  const { manager } = service
  const { body: applications } = await manager.get('/api/Applications')
  const http = applications.find((app: { shortName: string }) => app.shortName === 'HTTP').id
  const registered = await manager.post('/api/RegApplication', {
    applicationId: http,
    tagText: 'target',
    credentialsJson: JSON.stringify({ baseUrl: target.origin, authType: 'bearer', token: 'token' }),
  })
  expect(registered.status, registered.text).toBe(200)
  return { applications: { HTTP: registered.body } }
}

describe('a run', () => {
  let workflow: SampleWorkflow
  let row: Row
  beforeAll(async () => {
    const script = `for (let n = 0; n < 20; n++) await api.get('http/item/' + n)
      console.log(${JSON.stringify(words('logged'))}); session.vars.notes = ${JSON.stringify(words('remembered'))}
      return ${JSON.stringify(words('returned'))}`
    workflow = await deployWorkflow(service.manager, [script, 'return Datasource[0].length'], await registerTarget())
    // A storage that takes longer than a second is left alone for a while, and on a busy machine ours may.
    row = await eventually(async () => {
      expect((await runToEnd(service.manager, workflow.id)).status).toBe('Ready')
      const latest = await rowOf(workflow)
      return (
        [latest.result, latest.log, latest.session, latest.calls].every((stored) => reference.test(stored)) && latest
      )
    })
  })

  it('leaves references in its row, and objects in which nothing can be read', () => {
    for (const [column, word] of Object.entries({
      result: 'returned',
      log: 'logged',
      session: 'remembered',
      calls: 'item',
    })) {
      const stored = row[column as keyof Row] as string
      expect(stored, column).toMatch(reference)
      const bytes = bucket.read(objectOf(stored))
      expect(bytes.length).toBeGreaterThan(4096)
      expect(bytes.includes(word)).toBe(false)
    }
    const key = bucket.keys().find((one) => one.includes(objectOf(row.result)))
    expect(key).toContain(`/runs/${new Date().toISOString().slice(0, 10).replaceAll('-', '')}/${row.run_id}/`)
  })

  it('is read as if everything lay in its row', async () => {
    const { manager } = service
    expect((await blockResult(manager, workflow, 1)).body.result).toBe(words('returned'))
    expect((await manager.get(blockPath('GetBlockUserLog', workflow, 1))).body.result).toEqual([words('logged')])
    expect((await manager.get(blockPath('GetBlockSession', workflow, 1))).body.result).toEqual({
      notes: words('remembered'),
    })
    const calls = (await manager.get(blockPath('GetBlockCalls', workflow, 1))).body.result
    expect(calls).toHaveLength(20)
    expect(calls[19].url).toBe(`${target.origin}/item/19`)
    expect(row.call_count).toBe(20)
  })

  it('gives small contents and later blocks no object', async () => {
    expect((await rowOf(workflow, 2)).result).toBe(String(words('returned').length))
  })

  it('is found by what it returned, with its surroundings', async () => {
    const { manager } = service
    for (const word of ['returned', 'logged']) {
      const found = await eventually(async () => {
        const { body } = await manager.post('/api/SearchRuns', { searchTerm: word })
        return body.items?.length > 0 ? body.items[0] : undefined
      })
      expect(found.snippet).toContain(word)
    }
  })

  it('is replayed from a tape in the storage', async () => {
    const tapes = await service.asOwner(
      `select convert_from(sealed_tape, 'UTF8') as tape from run_recordings where run_id = $1`,
      [row.run_id],
    )
    expect(tapes[0]?.['tape']).toMatch(reference)
    const replay = await replayToEnd(service.manager, workflow.id)
    expect(replay.runs).toMatchObject([{ outcome: 'same' }])
  })

  it('counts with what lies in the storage', async () => {
    const [measured] = await service.asOwner(
      `select sum(content_bytes(result) + content_bytes(log) + content_bytes(session) + content_bytes(calls))::int as bytes from run_blocks where block_id = $1`,
      [workflow.blocks[0]],
    )
    expect(Number(measured?.['bytes'])).toBeGreaterThan(words('returned').length + words('logged').length)
  })
})

describe('RetryRun and partial runs', () => {
  it('take over results with objects of their own', async () => {
    const { manager } = service
    const workflow = await deployWorkflow(manager, [
      `console.log(${JSON.stringify(words('kept'))}); return ${JSON.stringify(words('reused'))}`,
      'if (run.runNumber === 1) throw new Error("not yet"); return Datasource[0].length',
    ])
    expect((await runToEnd(manager, workflow.id)).status).toBe('Error')
    const failed = await rowOf(workflow)
    expect((await manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)).status).toBe(200)
    expect((await endOf(manager, workflow.id, 2)).status).toBe('Ready')
    expect((await blockResult(manager, workflow, 2)).body.result).toBe(words('reused').length)
    const retried = await rowOf(workflow)
    expect(objectOf(retried.result)).not.toBe(objectOf(failed.result))
    expect(bucket.keys().find((key) => key.includes(objectOf(retried.result)))).toContain(retried.run_id)
    expect((await blockResult(manager, workflow, 1, 2)).body.result).toBe(words('reused'))
    expect((await manager.get(blockPath('GetBlockUserLog', workflow, 1, 2))).body.result).toEqual([words('kept')])

    const partial = await runToEnd(manager, workflow.id, { runFromBlock: 2 })
    expect([partial.status, partial.lockVersionNumber]).toEqual(['Ready', 3])
    expect((await blockResult(manager, workflow, 1, 3)).body.result).toBe(words('reused'))
  })
})

describe('a webhook request', () => {
  const storedOf = async (table: string, id: string) =>
    String(
      (
        await service.asOwner(`select convert_from(sealed_request, 'UTF8') as stored from ${table} where id = $1`, [id])
      )[0]?.['stored'],
    )

  it('has its body in the storage, and is run, read, run again and found', async () => {
    const { manager } = service
    const webhook = await deployWebhook(manager)
    const sent = await webhook.send({ order: words('delivered') })
    const id = sent.body.webhookId
    const stored = await storedOf('webhook_requests', id)
    expect(stored).toMatch(reference)
    expect(bucket.read(objectOf(stored)).includes('delivered')).toBe(false)
    await leftQueue(manager, webhook.workflowId, id)
    expect((await manager.get(`/api/GetWebhook/${id}`)).body.webhookValue).toEqual({ order: words('delivered') })
    // The second run finds it in no memory.
    const number = await startRun(manager, webhook.workflowId, { webhookId: id })
    expect((await endOf(manager, webhook.workflowId, number)).status).toBe('Ready')
    const [block] = await service.asOwner(
      'select block_id from run_blocks b join runs r on r.id = b.run_id where r.workflow_id = $1 and r.run_number = $2',
      [webhook.workflowId, number],
    )
    const answer = await blockResult(
      manager,
      { id: webhook.workflowId, blocks: [String(block?.['block_id'])] },
      1,
      number,
    )
    expect(answer.body.result.body).toEqual({ order: words('delivered') })
    const found = await eventually(async () => {
      const { body } = await manager.post('/api/SearchRuns', { searchTerm: 'delivered' })
      return body.items?.find((item: { where: string }) => item.where === 'webhook')
    })
    expect(found.snippet).toContain('delivered')
  })

  it('keeps its place in a strict order beside small ones', async () => {
    const { manager } = service
    const webhook = await deployWebhook(manager, { strictOrderProcessing: true })
    const sent: string[] = []
    for (let n = 0; n < 6; n++) sent.push((await webhook.send({ n, text: n % 2 ? words('large') : '' })).body.webhookId)
    const items = await Promise.all(sent.map((id) => leftQueue(manager, webhook.workflowId, id)))
    expect(items.map((item) => item.runNumber)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('of a workflow in development is a sample with its body in the storage', async () => {
    const { manager } = service
    const workflow = await createWorkflow(manager, ['return webhook'])
    const webhook = await enableWebhook(manager, workflow.id)
    const sent = await webhook.send({ sample: words('sampled') })
    expect(await storedOf('webhook_samples', sent.body.webhookId)).toMatch(reference)
    const value = await manager.get(`/api/GetSandboxWebhookValue/${workflow.id}`)
    expect(value.body).toEqual({ sample: words('sampled') })
  })
})

it('nothing refers to an object before it is there', async () => {
  const { manager } = service
  const workflow = await deployWorkflow(manager, [`return ${JSON.stringify(words('held'))}`])
  const { arrived, release } = bucket.holdWrites()
  const number = await startRun(manager, workflow.id)
  await arrived
  expect(await rowOf(workflow)).toBeUndefined()
  expect((await blockResult(manager, workflow, 1, number)).status).toBe(404)
  release()
  await endOf(manager, workflow.id, number)
  expect((await rowOf(workflow)).result).toMatch(reference)
})

describe('a run whose request lies in a storage', () => {
  let api: TestService
  beforeAll(async () => {
    api = await startService({ env: bucket.contentsEnv('s3://shares/other'), role: 'api' })
  })
  afterAll(() => api[Symbol.asyncDispose]())

  it('waits while that is away, and fails when the request is damaged', async () => {
    const { manager } = api
    const [waiting, damaged] = [await deployWebhook(manager), await deployWebhook(manager)]
    await waiting.send({ text: words('awaited') })
    const { webhookId } = (await damaged.send({ text: words('broken') })).body
    bucket.write(webhookId, Buffer.from('something else'))
    bucket.isAway = true
    await using _worker = await api.startAnother({}, 'worker')
    try {
      await eventually(() => findRun(manager, waiting.workflowId, 1))
      const refused = bucket.refused
      await eventually(() => bucket.refused > refused + 2)
      expect((await findRun(manager, waiting.workflowId, 1)).endDateTimeUTC).toBeNull()
    } finally {
      bucket.isAway = false
    }
    expect((await endOf(manager, waiting.workflowId, 1)).status).toBe('Ready')
    expect(await endOf(manager, damaged.workflowId, 1)).toMatchObject({
      status: 'Error',
      errorMessage: expect.stringContaining('is no longer stored'),
    })
  })
})

describe('a storage', () => {
  const returning = (word: string) => deployWorkflow(service.manager, [`return ${JSON.stringify(words(word))}`])

  it('that gives back something else is never believed', async () => {
    const { manager } = service
    const [one, other] = [await returning('one'), await returning('other')]
    await runToEnd(manager, one.id)
    await runToEnd(manager, other.id)
    const objects = [objectOf((await rowOf(one)).result), objectOf((await rowOf(other)).result)] as const
    const theirs = bucket.read(objects[1])
    bucket.write(objects[0], theirs)
    const swapped = await blockResult(manager, one, 1)
    expect([swapped.status, swapped.body.errorMessage]).toEqual([
      500,
      "This content is damaged in the service's storage. The operator can restore it.",
    ])
    const cut = Buffer.from(theirs)
    cut[cut.length - 1] = (cut[cut.length - 1] as number) ^ 1
    bucket.write(objects[1], cut)
    expect((await blockResult(manager, other, 1)).status).toBe(500)
    expect(service.logText()).toContain('is damaged.')
  })

  it('that is away holds up an upgrade that replays runs, and ends none of its workflows', async () => {
    const { manager } = service
    const { id, workflowId } = await twoVersions(manager, `return '${words('then')}'`, `return '${words('now')}'`)
    await deploy(manager, workflowId)
    await runToEnd(manager, workflowId)
    bucket.isAway = true
    const { refused } = bucket
    const upgradeId = await startUpgrade(manager, id, { replayRuns: 1 })
    await eventually(() => bucket.refused > refused)
    await eventually(() => service.logText().includes('Content in '))
    bucket.isAway = false
    expect(await upgradeIn(manager, upgradeId, 'Completed')).toMatchObject({ counts: { upgraded: 1, problem: 0 } })
  })

  it('that is away fails no run and loses nothing: the row holds what the storage cannot', async () => {
    const { manager } = service
    const before = await returning('before')
    await runToEnd(manager, before.id)
    const during = await returning('during')
    const webhook = await deployWebhook(manager)
    bucket.isAway = true
    try {
      for (let n = 0; n < 5; n++) expect((await runToEnd(manager, during.id)).status).toBe('Ready')
      expect((await blockResult(manager, during, 1)).body.result).toBe(words('during'))
      expect((await rowOf(during)).result).toBe(JSON.stringify(words('during')))
      expect((await webhook.send({ text: words('taken') })).status).toBe(200)
      const read = await blockResult(manager, before, 1)
      expect([read.status, read.body.errorMessage]).toEqual([
        503,
        'The storage that holds this content cannot be reached at the moment. Try again later.',
      ])
    } finally {
      bucket.isAway = false
    }
    expect((await blockResult(manager, before, 1)).body.result).toBe(words('before'))
    const told = service
      .logText()
      .split('\n')
      .filter((line) => line.includes('"part":"contents"') && line.includes('answered 503'))
    expect(told).toHaveLength(1)
  })
})
