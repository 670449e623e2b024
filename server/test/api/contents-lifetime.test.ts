// Objects of contents are removed when nothing refers to them any more, and never before; settings may change meanwhile.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ContentStores, ContentSweep, Contents } from '../../src/contents/index.ts'
import { Database } from '../../src/db/index.ts'
import { newId } from '../../src/lib/id.ts'
import { KeyRing, MasterKeys, rotateMasterKey } from '../../src/secrets/index.ts'
import { eventually } from '../harness/eventually.ts'
import { startBucket, type TestBucket } from '../harness/s3-bucket.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWebhook, leftQueue } from '../harness/webhooks.ts'
import { blockResult, deployWorkflow, endOf, runToEnd, type SampleWorkflow, startRun } from '../harness/workflows.ts'

const text = 'kept elsewhere '.repeat(1000)
const large = `return ${JSON.stringify(text)}`
const dayMs = 86_400_000

let bucket: TestBucket
beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket[Symbol.asyncDispose]())

const settingsOf = (service: TestService, env: Record<string, string>) =>
  readConfig({ PATCHBAY_DATA_DIR: service.dataDir, PATCHBAY_DATABASE_URL: service.databaseUrl, ...env }, 'all')

/** The parts that the service is made of, with a hand on them. */
async function openParts(service: TestService, env: Record<string, string>) {
  const config = settingsOf(service, env)
  const database = new Database({ connectionString: service.databaseUrl }, () => {})
  const stores = await ContentStores.open({ database, settings: config.contents, onFault: () => {} })
  const keyRing = await KeyRing.load(database, new MasterKeys(config.masterKey))
  const contents = new Contents({ stores, keyRing, bytesMin: config.contents.bytesMin, onFault: () => {} })
  const sweep = new ContentSweep({ database, contents, onFault: () => {} })
  return {
    store: contents.primary!,
    /** Once whoever is at it has finished. */
    sweep: (now?: number) => eventually(() => sweep.sweep(now)),
    config,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

describe.each(['s3', 'file:'])('with %s', (kind) => {
  let service: TestService
  let env: Record<string, string>
  let parts: Awaited<ReturnType<typeof openParts>>
  beforeAll(async () => {
    env = kind === 's3' ? bucket.contentsEnv('s3://shares') : { PATCHBAY_CONTENTS_URL: kind }
    service = await startService({ env })
    parts = await openParts(service, env)
  })
  afterAll(async () => {
    await parts[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const runId = async (workflow: SampleWorkflow, number: number) =>
    String(
      (
        await service.asOwner('select id from runs where workflow_id = $1 and run_number = $2', [workflow.id, number])
      )[0]?.['id'],
    )
  const day = () => new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const keysOf = async (id: string) => (await parts.store.list('', 1000)).filter((key) => key.includes(id))
  /** What a process leaves behind that dies before its transaction. */
  const orphan = async (where: string) => {
    const key = `${where}/${newId()}`
    await parts.store.put(key, Buffer.from('never referred to'))
    return key
  }

  it('an object whose transaction never came about goes once its run has ended, and not before', async () => {
    const { manager } = service
    const blocks = [large, 'while (!myVault.contains("go")) await sleep(50); return Datasource[0].length']
    const slow = await deployWorkflow(manager, blocks, { replayRuns: 0 })
    const number = await startRun(manager, slow.id)
    const id = await eventually(async () => {
      const found = await runId(slow, number)
      return (await keysOf(found)).length > 0 && found
    })
    const lost = await orphan(`runs/${day()}/${id}`)
    await parts.sweep(Date.now() + 2 * dayMs)
    expect(await parts.store.get(lost)).toBeDefined()
    await manager.post(`/api/MyVaultSet/${slow.id}/go`, { jsonData: true })
    expect((await endOf(manager, slow.id, number)).status).toBe('Ready')
    await parts.sweep()
    expect(await parts.store.get(lost)).toBeUndefined()
    expect(await keysOf(id)).toHaveLength(1)
    expect((await blockResult(manager, slow, 1)).body.result).toBe(text)
  })

  it('an object of something that is not stored waits for a day, by the age of its id', async () => {
    const young = await orphan(`webhooks/${day()}/${newId()}`)
    const old = await orphan(`runs/20200101/${newId(Date.UTC(2020, 0, 1))}`)
    await parts.sweep()
    expect([await parts.store.get(young), await parts.store.get(old)]).toEqual([expect.any(Buffer), undefined])
    await parts.sweep(Date.now() + 2 * dayMs)
    expect(await parts.store.get(young)).toBeUndefined()
  })

  it('objects go with their runs, requests and recordings, however those went', async () => {
    const { manager } = service
    const deleted = await deployWorkflow(manager, [large])
    await runToEnd(manager, deleted.id)
    const dropped = await deployWorkflow(manager, [large])
    await runToEnd(manager, dropped.id)
    const webhook = await deployWebhook(manager)
    const { webhookId } = (await webhook.send({ text })).body
    await leftQueue(manager, webhook.workflowId, webhookId)
    const ids = [await runId(deleted, 1), await runId(dropped, 1), webhookId]
    for (const id of ids) expect(await keysOf(id)).toHaveLength(1)
    const kept = await deployWorkflow(manager, [large])
    await runToEnd(manager, kept.id)

    expect((await manager.get(`/api/DeleteWorkflow/${deleted.id}`)).status).toBe(200)
    // As retention drops whole days: nothing is told which rows went.
    await service.asOwner('delete from run_blocks where run_id = $1', [ids[1]])
    await service.asOwner('delete from runs where id = $1', [ids[1]])
    await service.asOwner('delete from webhook_requests where id = $1', [ids[2]])
    await parts.sweep(Date.now() + 2 * dayMs)
    for (const id of ids) expect(await keysOf(id)).toEqual([])
    expect(await keysOf(await runId(kept, 1))).toHaveLength(1)
    expect((await blockResult(manager, kept, 1)).body.result).toBe(text)
  })

  it('contents stay readable when the master key is replaced', async () => {
    const workflow = await deployWorkflow(service.manager, [large])
    await runToEnd(service.manager, workflow.id)
    const database = new Database({ connectionString: service.databaseUrl }, () => {})
    await rotateMasterKey({ database, source: parts.config.masterKey, say: () => {} })
    await database[Symbol.asyncDispose]()
    await using later = await service.startAnother({}, 'api')
    expect((await blockResult(later.manager, workflow, 1)).body.result).toBe(text)
  })

  it('the setting may come and go: everything stays readable', async () => {
    const { manager } = service
    const inStorage = await deployWorkflow(manager, [large])
    await runToEnd(manager, inStorage.id)
    // The keys to the bucket stay.
    await using off = await service.startAnother({ PATCHBAY_CONTENTS_URL: 'database:' }, 'api')
    expect((await blockResult(off.manager, inStorage, 1)).body.result).toBe(text)
    if (kind === 's3') {
      await using keyless = await service.startAnother({ PATCHBAY_CONTENTS_URL: '', AWS_ACCESS_KEY_ID: '' }, 'api')
      expect((await blockResult(keyless.manager, inStorage, 1)).status).toBe(503)
      expect(readdirSync(service.dataDir)).not.toContain('contents')
    } else expect(readdirSync(join(service.dataDir, 'contents'))).toHaveLength(1)
  })
})

it('by default nothing leaves the database, and what was there before the setting is read beside what came after', async () => {
  await using service = await startService()
  const workflow = await deployWorkflow(service.manager, [large])
  await runToEnd(service.manager, workflow.id)
  const stored = async () =>
    (await service.asOwner('select left(result, 1) as first from run_blocks order by run_id')).map(
      (row) => row['first'],
    )
  expect(await stored()).toEqual(['"'])
  await using on = await service.startAnother({ PATCHBAY_CONTENTS_URL: 'file:' }, 'api')
  expect((await blockResult(on.manager, workflow, 1)).body.result).toBe(text)
})

it('a worker without the setting removes nothing of a storage', async () => {
  await using service = await startService({ env: { PATCHBAY_CONTENTS_URL: 'file:' } })
  await using on = await openParts(service, { PATCHBAY_CONTENTS_URL: 'file:' })
  await using off = await openParts(service, {})
  const key = `runs/20200101/${newId(Date.UTC(2020, 0, 1))}/${randomUUID()}`
  await on.store.put(key, Buffer.from('of an installation that this one is a copy of'))
  await off.sweep()
  expect(await on.store.get(key)).toBeDefined()
})

it.each([
  [
    'PATCHBAY_CONTENTS_URL',
    { PATCHBAY_CONTENTS_URL: 'ftp://somewhere' },
    'PATCHBAY_CONTENTS_URL must be database:, file:',
  ],
  [
    'PATCHBAY_CONTENTS_BYTES',
    { PATCHBAY_CONTENTS_BYTES: '12' },
    'PATCHBAY_CONTENTS_BYTES must be a whole number from 1024',
  ],
  [
    'missing keys',
    { PATCHBAY_CONTENTS_URL: 's3://bucket' },
    'PATCHBAY_CONTENTS_URL names a bucket, but AWS_ACCESS_KEY_ID is not set.',
  ],
])('refuses a wrong setting: %s', async (_, env, sentence) => {
  await expect(startService({ env })).rejects.toThrow(sentence)
})

it('refuses a bucket that is not there', async () => {
  await expect(startService({ env: bucket.contentsEnv('s3://nowhere') })).rejects.toThrow(
    'There is no bucket "nowhere"',
  )
})
