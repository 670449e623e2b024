// An organization with one of everything moves from one cell to another by the operator's command.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Cell,
  contentOf,
  createOrganizationIn,
  makeCell,
  move,
  type NewOrganization,
  sharedSettings,
} from '../harness/cells.ts'
import { Client, type Keys } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { admin } from '../harness/restored.ts'
import { seedEverything } from '../harness/seed-everything.ts'
import type { TestService } from '../harness/service.ts'
import { download, hello, postShare, shareFiles } from '../harness/upload.ts'
import { enableWebhook, historyOf, type SampleWebhook, sendRaw, signature, toBytes } from '../harness/webhooks.ts'
import {
  blockResult,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let eu1: Cell
let us1: Cell
let organization: NewOrganization
let client: Client
let workflow: SampleWorkflow
let large: SampleWorkflow
let hook: SampleWebhook
let shareId: string
let waitingIds: string[]
let waitingRun: number
let before: Awaited<ReturnType<typeof contentOf>>
let moved: { code: number; output: string }
const shared = sharedSettings()

beforeAll(async () => {
  eu1 = await makeCell('eu1', { ...shared, PATCHBAY_CONTENTS_URL: 'file:' })
  us1 = await makeCell('us1', shared)
  const [, , worker] = await Promise.all([eu1.start('api'), us1.start('api'), eu1.start('worker')])
  organization = await createOrganizationIn(eu1, 'Mover', 'mover@example.com')
  client = eu1.client(organization)
  await seedEverything({} as TestService, client, organization)
  workflow = await deployWorkflow(client, ['return { got: webhook, word: "zanzibar" }'])
  await runToEnd(client, workflow.id)
  large = await deployWorkflow(client, ['return "mombasa ".repeat(3000)'])
  await runToEnd(client, large.id)
  hook = await enableWebhook(client, workflow.id, { strictOrderProcessing: true })
  await client.post('/api/WorkflowScheduler', {
    workflowId: workflow.id,
    isScheduled: true,
    scheduleFrequency: '0 3 * * *',
  })
  shareId = await shareFiles(client, { code: 'the code' })
  const isIdle = `select not exists (select from runs where ended_at is null and status <> 'Waiting') and not exists (select from search_feed)
    and not exists (select from alarm_checks) and not exists (select from activity_deltas)
    and not exists (select from template_upgrades where state = 'Running') and not exists (select from replays where state = 'Running')
    and not exists (select from webhook_replays where not is_queued) as yes`
  await eventually(async () => (await eu1.place.query<{ yes: boolean }>(isIdle, true))[0]?.yes)
  // Without a worker what comes now waits, and is copied as it waits.
  await worker[Symbol.asyncDispose]()
  waitingIds = []
  for (let n = 1; n <= 5; n++) waitingIds.push((await hook.send({ n })).body.webhookId)
  waitingRun = await startRun(client, workflow.id)
  await eu1.place.query('delete from search_feed', true)
  before = await contentOf(eu1, organization.organizationId)
  moved = await move(eu1, us1, 'Mover')
})
afterAll(async () => {
  await eu1?.[Symbol.asyncDispose]()
  await us1?.[Symbol.asyncDispose]()
})

const there = () => us1.client(organization)

it('says what it did', () => {
  expect(moved.code, moved.output).toBe(0)
  expect(moved.output).toMatch(
    /Held: .*\nCopied .*now lives in the cell us1\.\nPaused for [\d.]+ seconds\.\nErased at eu1/s,
  )
})

it('brings every row of every table, and leaves none', async () => {
  const after = await contentOf(us1, organization.organizationId)
  const audit = (content: typeof before) => content['audit_log']?.length ?? 0
  expect(audit(after)).toBe(audit(before) + 1)
  const withoutAudit = ({ audit_log: _log, audit_chain: _chain, ...rest }: typeof before) => rest
  const expected = withoutAudit(before)
  // The files of its shares and its contents lie elsewhere now; notes of use go on until the end.
  const plain = (rows: unknown[] | undefined, ...left: string[]) =>
    rows?.map((row) => Object.fromEntries(Object.entries(row as object).filter(([name]) => !left.includes(name))))
  const comparable = (content: typeof before) => ({
    ...withoutAudit(content),
    shares: plain(content['shares'], 'storage_id'),
    api_keys: plain(content['api_keys'], 'last_used_at'),
    account_storage: [],
    kept_contents: [],
  })
  expect(comparable(after)).toEqual(comparable(before))
  expect(Object.values(expected).filter((rows) => rows.length > 0).length).toBeGreaterThan(35)
  const left = await contentOf(eu1, organization.organizationId)
  expect(Object.entries(left).filter(([, rows]) => rows.length > 0)).toEqual([])
  expect(await eu1.place.query("select from pg_trigger where tgname like 'refuse_%_while_moving'", true)).toEqual([])
})

it('run again says that nothing is left to do, also by name', async () => {
  for (const wanted of [organization.organizationId, 'Mover']) {
    const again = await move(eu1, us1, wanted)
    expect(again.code, again.output).toBe(0)
    expect(again.output.trim()).toBe('The organization is in the cell us1 already. There is nothing left to do.')
  }
  const back = await move(eu1, us1, 'Mover', '--take-back')
  expect(back).toMatchObject({ code: 1, output: expect.stringContaining('there is nothing to take back here') })
  const stranger = await move(eu1, us1, 'Nobody')
  expect(stranger.code).toBe(1)
})

describe('the cell that it left', () => {
  it('refuses its keys, webhooks and shares, and names the cell that has it', async () => {
    const asked = await client.get('/api/Authenticate')
    expect([asked.status, asked.headers.get('patchbay-cell')]).toEqual([421, 'us1'])
    expect(asked.body.errorMessage).toContain('has moved to the cell us1')
    const sent = await hook.send({ n: 6 })
    expect([sent.status, sent.headers.get('patchbay-cell')]).toEqual([421, 'us1'])
    const page = await postShare(eu1.baseUrl, shareId, { code: 'the code' })
    expect([page.status, page.headers.get('patchbay-cell')]).toEqual([421, 'us1'])
  })

  it('still says to strangers what it always did', async () => {
    const stranger = await eu1.client({ consumer: 'pbc_eu1_nobody', secretKey: 'x' }).get('/api/Authenticate')
    expect([stranger.status, stranger.headers.get('patchbay-cell')]).toEqual([401, null])
  })
})

describe('the cell that has it', () => {
  it('goes on with what waited, in order, once', async () => {
    await us1.start('worker')
    expect((await endOf(there(), workflow.id, waitingRun)).status).toBe('Ready')
    const done = await eventually(async () => {
      const { items } = await historyOf(there(), workflow.id, { size: 100 })
      return items.length === 5 ? items : undefined
    })
    const inOrder = [...done].sort((a, b) => a.runNumber - b.runNumber)
    expect(inOrder.map((item) => item.webhookId)).toEqual(waitingIds)
  })

  it('has the contents that lay in a storage of the other', async () => {
    expect((await blockResult(there(), large, 1)).body.result).toBe('mombasa '.repeat(3000))
  })

  it('takes its keys, addresses, shares and schedules as they were', async () => {
    expect((await there().get('/api/Authenticate')).body.myAccount.id).toBe(organization.accountId)
    expect((await findRun(there(), workflow.id, 1)).status).toBe('Ready')
    const bytes = toBytes({ n: 7 })
    const url = `${us1.baseUrl}/webhook/eu1.${workflow.id}`
    expect((await sendRaw(url, bytes, { 'X-Patchbay-Signature': signature(hook.secret, bytes) })).status).toBe(200)
    const { status, bytes: file } = await download({ baseUrl: us1.baseUrl }, shareId, 'the code')
    expect([status, file.toString()]).toEqual([200, hello.content])
    expect((await there().get(`/api/Workflow/${workflow.id}`)).body.isScheduled).toBe(true)
    const found = await there().post('/api/SearchRuns', { searchTerm: 'zanzibar' })
    expect(found.body.items.length, found.text).toBeGreaterThan(0)
    expect((await there().get(`/api/MyVaultGetGlobal/${organization.accountId}/seed`)).body).toBe('secret of the seed')
  })
})

it('the audit log is whole in both cells', async () => {
  for (const cell of [eu1, us1]) expect(await admin(['verify-audit'], cell.env)).toMatchObject({ code: 0 })
  const { items } = (await there().post('/api/GetAuditLog', { page: 0, size: 100 })).body
  const moves = items.filter((item: { action: string }) => item.action === 'organization.moved')
  const { organizationId: target } = organization
  expect(moves).toMatchObject([{ target, accountId: null, details: { fromCell: 'eu1', toCell: 'us1' } }])
})

it('moves back, and the first cell answers again', async () => {
  const back = await move(us1, eu1, organization.organizationId)
  expect(back.code, back.output).toBe(0)
  expect((await client.get('/api/Authenticate')).status).toBe(200)
  expect((await there().get('/api/Authenticate')).headers.get('patchbay-cell')).toBe('eu1')
  expect((await hook.send({ n: 8 })).status).toBe(200)
  expect(await admin(['verify-audit'], eu1.env)).toMatchObject({ code: 0 })
})

it('that does not come to rest goes on where it is, and meanwhile hears only to try again', async () => {
  await eu1.place.query(`insert into search_feed (kind, ids) select 'run', array[id] from runs limit 1`, true)
  const statuses = new Set<number>()
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const answers = await Promise.all([client.get('/api/Authenticate'), hook.send({ n: 9 })])
      for (const { status } of answers) statuses.add(status)
    }
  })()
  const refused = await move(eu1, us1, organization.organizationId, '--wait', '2')
  isOver = true
  await asking
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringContaining('stays in the cell eu1 and works as before'),
  ])
  expect([...statuses].sort()).toEqual([200, 503])
  await eventually(async () => (await client.get('/api/Authenticate')).status === 200)
  expect(await eu1.place.query('select from organization_moves where erased_at is null', true)).toEqual([])
})

it('that was taken back is refused with 503 for a minute more, however late a refusal comes, and then as always', async () => {
  const keys = client.keys as Keys
  const wrong = new Client(eu1.baseUrl, { ...keys, secretKey: 'pbs_wrong' })
  expect((await wrong.get('/api/Authenticate')).status).toBe(503)
  await eu1.place.query(`update organization_moves set settled_at = now() - interval '61 seconds'`, true)
  expect((await wrong.get('/api/Authenticate')).status).toBe(401)
  expect((await client.get('/api/Authenticate')).status).toBe(200)
})

describe('refuses', () => {
  const changed = (name: string, value: string) => {
    const file = `${us1.settingsFile}.${name}`
    writeFileSync(
      file,
      Object.entries({ ...us1.env, [name]: value })
        .map(([key, text]) => `${key}="${text}"\n`)
        .join(''),
    )
    return { ...us1, settingsFile: file }
  }
  const refusal = async (cell: Cell, wanted: string, ...more: string[]) => {
    const { code, output } = await move(eu1, cell, wanted, ...more)
    expect(code, output).toBe(1)
    // Whatever was refused, nothing was touched.
    expect((await client.get('/api/Authenticate')).status).toBe(200)
    return output.trim()
  }

  it('an organization that is not there', async () => {
    expect(await refusal(us1, 'Nobody')).toBe('There is no organization "Nobody" in the cell eu1.')
  })

  it('its own cell', async () => {
    expect(await refusal(eu1, 'Mover')).toContain('Both cells have the name eu1')
  })

  it('settings without a cell, and a file that is not there', async () => {
    expect(await refusal(changed('PATCHBAY_CELL', ''), 'Mover')).toContain('PATCHBAY_CELL')
    expect(await refusal({ ...us1, settingsFile: '/nowhere' }, 'Mover')).toContain('cannot be used: ENOENT')
  })

  it('another master key or another seed', async () => {
    const key = randomBytes(32).toString('base64')
    expect(await refusal(changed('PATCHBAY_MASTER_KEY', key), 'Mover')).toContain(
      'The cell us1 cannot be used: The master key is not the one',
    )
    expect(await refusal(changed('PATCHBAY_SYSTEM_KEY_SEED', key), 'Mover')).toContain('PATCHBAY_SYSTEM_KEY_SEED')
  })

  it('e-mail addresses that the other cell has', async () => {
    await createOrganizationIn(us1, 'Double', 'Mover@example.com')
    expect(await refusal(us1, 'Mover')).toMatch(/e-mail addresses of this organization: mover@example.com/i)
  })

  it('to take back what is not being moved', async () => {
    expect(await refusal(us1, 'Mover', '--take-back')).toContain('there is nothing to take back')
  })

  it('a database of another version', async () => {
    await us1.place.query(
      `insert into migrations (name, checksum, older_may_stay) values ('9999_later', 'x', true)`,
      true,
    )
    expect(await refusal(us1, 'Mover')).toContain('databases of different versions')
    await us1.place.query(`delete from migrations where name = '9999_later'`, true)
  })
})
