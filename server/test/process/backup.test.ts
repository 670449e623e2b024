// The drill: a service under load is backed up by the operator's command, and restored into an empty embedded and an empty server installation.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startProgram } from '../harness/program.ts'
import { admin, emptyEmbedded, emptyOnServer, type Installation } from '../harness/restored.ts'
import { startService, type TestService } from '../harness/service.ts'
import { download, hello, shareFiles } from '../harness/upload.ts'
import { enableWebhook, type SampleWebhook } from '../harness/webhooks.ts'
import { blockResult, deployWorkflow, endOf, runToEnd, type SampleWorkflow, startRun } from '../harness/workflows.ts'

const passphrase = 'correct horse battery staple'
const directory = mkdtempSync(join(tmpdir(), 'patchbay-backup-'))
const file = join(directory, 'backup.patchbay')

let target: HttpTarget
let service: TestService
let noting: SampleWorkflow
let hooked: SampleWebhook
let large: SampleWorkflow
let shareId: string
let written: { code: number; output: string }
/** Requests that the source answered with 200 before the backup began. */
const acceptedBefore: string[] = []

beforeAll(async () => {
  target = await startHttpTarget(() => ({ json: { ok: true } }))
  service = await startService({ env: { PATCHBAY_CONTENTS_URL: 'file:' } })
  const { manager } = service
  const { body: applications } = await manager.get('/api/Applications')
  const http = applications.find((app: { shortName: string }) => app.shortName === 'HTTP').id
  const registered = await manager.post('/api/RegApplication', {
    applicationId: http,
    tagText: 'target',
    credentialsJson: JSON.stringify({ baseUrl: target.origin, authType: 'bearer', token: 'token-of-the-drill' }),
  })
  expect(registered.status, registered.text).toBe(200)
  const applicationsOf = { applications: { HTTP: registered.body } }
  noting = await deployWorkflow(
    manager,
    [
      'if (run.runNumber === 1) myVault.set("word", "kept"); await api.post("http/note", { run: run.runNumber }); return 1',
      'await sleep(150); return myVault.get("word")',
    ],
    applicationsOf,
  )
  await runToEnd(manager, noting.id)
  large = await deployWorkflow(manager, ['return "zanzibar ".repeat(3000)'])
  await runToEnd(manager, large.id)
  expect(await service.asOwner(`select from run_blocks where result like '@%'`)).toHaveLength(1)
  hooked = await enableWebhook(manager, (await deployWorkflow(manager, ['await sleep(50); return webhook'])).id)
  await manager.post('/api/WorkflowScheduler', {
    workflowId: noting.id,
    isScheduled: true,
    scheduleFrequency: '0 3 * * *',
  })
  shareId = await shareFiles(manager, { code: 'the code' })

  let isLoading = true
  const load = (async () => {
    for (let n = 0; isLoading; n++) {
      await startRun(manager, noting.id)
      const answer = await hooked.send({ n })
      expect(answer.status).toBe(200)
    }
  })()
  await eventually(async () => target.received.length > 20)
  acceptedBefore.push(...(await service.asOwner('select id from webhook_requests')).map((row) => String(row['id'])))
  written = await admin(['backup', '--to', file], {
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_BACKUP_PASSPHRASE: passphrase,
  })
  isLoading = false
  await load
  await service[Symbol.asyncDispose]()
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

it('is one file for its owner alone, in which no secret can be read', () => {
  expect(written).toMatchObject({ code: 0, output: expect.stringContaining('1 shares') })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(file)
  for (const secret of ['token-of-the-drill', passphrase, service.firstAccount.consumer, 'patchbay.migrations'])
    expect(bytes.includes(secret)).toBe(false)
})

const kinds: [string, () => Installation | Promise<Installation>][] = [
  ['an empty embedded installation', emptyEmbedded],
  ['an empty server installation', emptyOnServer],
]

describe.each(kinds)('restored into %s', (_, makeEmpty) => {
  it('everything is as it was, goes on where it was, and nothing that was done is done again', async () => {
    await using place = await makeEmpty()
    const env = { ...place.env, PATCHBAY_BACKUP_PASSPHRASE: passphrase }
    expect(await admin(['restore', '--from', file], env)).toMatchObject({ code: 0 })

    const runs = await place.query<{ id: string; run_number: number; ended: boolean; is_noted: boolean }>(
      `select r.id, r.run_number, r.ended_at is not null as ended,
         exists (select from run_blocks b where b.run_id = r.id and b.block_id = '${noting.blocks[0]}') as is_noted
       from runs r where r.workflow_id = '${noting.id}'`,
      false,
    )
    const requests = await place.query<{ id: string }>('select id from webhook_requests', false)
    // The service was at work while the backup was made: some runs were over, some were not.
    expect(runs.filter(({ ended }) => ended).length).toBeGreaterThan(0)
    expect(runs.filter(({ ended }) => !ended).length).toBeGreaterThan(0)
    expect(requests.map(({ id }) => id)).toEqual(expect.arrayContaining(acceptedBefore))

    target.received.length = 0
    await using program = startProgram('main', [], {
      ...env,
      PATCHBAY_PORT: '0',
      PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
      PATCHBAY_LOG_LEVEL: 'error',
    })
    const baseUrl = (await program.saw(/Patchbay is ready at (\S+) /))[1] as string
    expect(program.output()).not.toContain('First account')
    const client = new Client(baseUrl, service.firstAccount)
    expect((await client.get('/api/Authenticate')).status).toBe(200)
    // It lay in a storage, which is gone.
    expect((await blockResult(client, large, 1)).body.result).toBe('zanzibar '.repeat(3000))

    const open = () => place.query('select from runs where ended_at is null', true)
    await eventually(async () => (await open()).length === 0)
    await eventually(async () => (await place.query('select from webhook_queue', true)).length === 0)
    const done = await place.query<{ status: string; count: number }>(
      `select status, count(*)::int from runs where workflow_id = '${noting.id}' group by 1`,
      true,
    )
    expect(done).toEqual([{ status: 'Ready', count: runs.length }])
    const history = await place.query<{ webhook_id: string }>(`select webhook_id from webhook_history`, true)
    expect(history.map(({ webhook_id }) => webhook_id).sort()).toEqual(requests.map(({ id }) => id).sort())

    const recorded = new Set(runs.filter(({ is_noted }) => is_noted).map(({ run_number }) => Number(run_number)))
    const again = target.received.map(({ body }) => JSON.parse(body.toString()).run as number)
    expect(again.filter((number) => recorded.has(number))).toEqual([])
    for (const { headers } of target.received) expect(headers.authorization).toBe('Bearer token-of-the-drill')

    const next = await startRun(client, noting.id)
    expect(next).toBe(Math.max(...runs.map(({ run_number }) => Number(run_number))) + 1)
    expect((await endOf(client, noting.id, next)).status).toBe('Ready')
    const result = await client.get(
      `/api/GetBlockResult/${noting.id}?uniqueBlockId=${noting.blocks[1]}&runNumber=${next}`,
    )
    expect(result.body.result).toBe('kept')
    expect((await client.get(`/api/Workflow/${noting.id}`)).body).toMatchObject({ isScheduled: true })
    expect((await download({ baseUrl }, shareId, 'the code')).bytes.toString()).toBe(hello.content)
    const fresh = { ...hooked, url: hooked.url.replace(/^http:\/\/[^/]+/, baseUrl) }
    expect(fresh.url).not.toBe(hooked.url)
    expect(await admin(['verify-audit'], place.env)).toMatchObject({ code: 0 })

    const refused = await admin(['restore', '--from', file], env)
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/is in use by|is running on this database/),
    ])
  })
})
