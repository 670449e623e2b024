// Customers' workflows follow the next version of their template and keep what was changed in them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import type { TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import {
  actOn,
  deploy,
  itemOf,
  makeWorkflow,
  previewUpgrade,
  read,
  readUpgrade,
  script,
  startUpgrade,
  startWithPartner,
  twoVersions,
  update,
  upgradeIn,
} from '../harness/upgrades.ts'
import { runToEnd } from '../harness/workflows.ts'

let service: TestService
let partner: Client
let partnerId: string
let partnerEmail: string
beforeAll(async () => {
  ;({ service, partner, partnerId, partnerEmail } = await startWithPartner())
})
afterAll(() => service[Symbol.asyncDispose]())

describe('an upgrade', () => {
  it('merges, and leaves a revision and an audit row', async () => {
    const { id, block, workflowId } = await twoVersions(partner)
    await update(partner, workflowId, {
      name: 'Mine',
      chain: [{ uniqueBlockId: block.uniqueBlockId, script: script('let a = 41', 'return a') }],
    })
    await deploy(partner, workflowId)
    const upgrade = await upgradeIn(partner, await startUpgrade(partner, id), 'Completed')
    expect(upgrade).toMatchObject({
      workflowTemplateId: id,
      toVersion: '2',
      counts: { pending: 0, upgraded: 1, upToDate: 0, conflict: 0, problem: 0, skipped: 0, rolledBack: 0 },
      items: [
        {
          workflowId,
          accountId: partnerId,
          accountEmail: partnerEmail,
          name: 'Mine',
          outcome: 'upgraded',
          wave: 1,
          revisionBefore: 2,
          revisionAfter: 3,
          message: null,
        },
      ],
    })
    const now = await read(partner, workflowId)
    expect(now).toMatchObject({ name: 'Mine', revision: 3, templateVersion: '2', workflowState: 'deployed' })
    expect(now.chain[0].script).toBe(script('let a = 41', 'return a + 1'))
    const revisions = await partner.post(`/api/WorkflowRevisions/${workflowId}`, {})
    expect(revisions.body.items[0]).toMatchObject({
      revision: 3,
      reason: 'Upgraded',
      accountId: partnerId,
      templateVersion: '2',
    })
    const audit = await service.manager.post('/api/GetAuditLog', { size: 1000 })
    expect(
      audit.body.items.filter(
        ({ action, target }: { action: string; target: string }) =>
          action === 'workflow.upgraded' && target === workflowId,
      ),
    ).toHaveLength(1)
    expect((await runToEnd(partner, workflowId)).status).toBe('Ready')
    expect(await previewUpgrade(partner, id)).toMatchObject({ counts: { upToDate: 1 } })
  })

  it('takes resolutions and values, and keeps secrets', async () => {
    const secret = [{ shortName: 'token', displayName: 'Token', type: 'password', required: false }]
    const template = createTemplate(partner)
    const block = newBlock('return 1')
    await template.publish('1', { chain: [block], variables: secret })
    const workflowId = await makeWorkflow(partner, template.id, { variables: { token: 's3cret' } })
    await update(partner, workflowId, {
      chain: [{ uniqueBlockId: block.uniqueBlockId, script: 'return variables.token', variables: {} }],
    })
    const required = { shortName: 'city', displayName: 'City', type: 'text', required: true }
    await template.publish('2', { chain: [{ ...block, script: 'return 2' }], variables: [...secret, required] })
    const resolution = {
      workflowId,
      revision: 2,
      uniqueBlockId: block.uniqueBlockId,
      field: 'script',
      take: 'value',
      value: 'return 3',
    }
    const upgradeId = await startUpgrade(partner, template.id, {
      resolutions: [resolution],
      values: [{ workflowId, variables: { city: 'Bergen' } }],
    })
    await upgradeIn(partner, upgradeId, 'Completed')
    const now = await read(partner, workflowId)
    expect(now.chain[0].script).toBe('return 3')
    expect(now.variables).toMatchObject({ token: { value: '********' }, city: { value: 'Bergen' } })
    const stored = await service.asOwner(
      'select definition::text as text from workflow_revisions where workflow_id = $1',
      [workflowId],
    )
    expect(JSON.stringify(stored)).not.toContain('s3cret')
    expect(
      await service.asOwner(
        'select 1 from template_upgrade_items where upgrade_id = $1 and sealed_choices is not null',
        [upgradeId],
      ),
    ).toEqual([])
  })

  it('leaves alone what conflicts, and what a resolution was not made for', async () => {
    const { id, block, workflowId } = await twoVersions(partner, 'return 1', 'return 2')
    await update(partner, workflowId, { chain: [{ uniqueBlockId: block.uniqueBlockId, script: 'return "mine"' }] })
    const named = await upgradeIn(partner, await startUpgrade(partner, id, { workflowIds: [workflowId] }), 'Completed')
    expect(named.items).toMatchObject([{ outcome: 'conflict', revisionAfter: null }])
    expect(named.items[0].message).toContain('script')
    const stale = { workflowId, revision: 1, uniqueBlockId: block.uniqueBlockId, field: 'script', take: 'template' }
    const late = await upgradeIn(partner, await startUpgrade(partner, id, { resolutions: [stale] }), 'Completed')
    expect(late.items).toMatchObject([{ outcome: 'conflict', message: expect.stringContaining('revision 2') }])
    expect(await read(partner, workflowId)).toMatchObject({ revision: 2, templateVersion: '1' })
    const all = await upgradeIn(partner, await startUpgrade(partner, id), 'Completed')
    expect(all.items).toEqual([])
  })

  it('goes in waves; pausing and resuming, later edits merged anew, the deleted and archived skipped', async () => {
    const template = createTemplate(partner)
    const block = newBlock(script('let a = 1', 'return a'))
    await template.publish('1', { chain: [block] })
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push(await makeWorkflow(partner, template.id))
    await template.publish('2', { chain: [{ ...block, script: script('let a = 1', 'return a + 1') }] })
    const upgradeId = await startUpgrade(partner, template.id, { waveSize: 1, waveMinutes: 60 })
    const first = await eventually(async () => {
      const upgrade = await readUpgrade(partner, upgradeId)
      return upgrade.counts.upgraded === 1 ? upgrade : undefined
    })
    expect(first.items.map(({ wave }: { wave: number }) => wave)).toEqual([1, 2, 3, 4, 5])
    expect((await partner.post('/api/TemplateUpgrade', { workflowTemplateId: template.id })).status).toBe(409)
    await actOn(partner, upgradeId, 'pause')
    await actOn(partner, upgradeId, 'pause')
    expect((await readUpgrade(partner, upgradeId)).state).toBe('Paused')
    const waiting = first.items
      .filter(({ outcome }: { outcome: string }) => outcome === 'pending')
      .map(({ workflowId }: { workflowId: string }) => workflowId)
    await update(partner, waiting[0], {
      chain: [{ uniqueBlockId: block.uniqueBlockId, script: script('let a = 41', 'return a') }],
    })
    await update(partner, waiting[1], { chain: [{ uniqueBlockId: block.uniqueBlockId, script: 'return "other"' }] })
    await partner.get(`/api/ArchiveWorkflow/${waiting[2]}`)
    await partner.get(`/api/DeleteWorkflow/${waiting[3]}`)
    await service.asOwner('update template_upgrades set wave_minutes = 0, wave_due_at = now() where id = $1', [
      upgradeId,
    ])
    await actOn(partner, upgradeId, 'resume')
    const ended = await upgradeIn(partner, upgradeId, 'Completed')
    const outcomes = waiting.map((id: string) => (itemOf(ended, id) as unknown as { outcome: string }).outcome)
    expect(outcomes).toEqual(['upgraded', 'conflict', 'skipped', 'skipped'])
    expect((await read(partner, waiting[0])).chain[0].script).toBe(script('let a = 41', 'return a + 1'))
    for (const action of ['pause', 'resume']) {
      const refused = await partner.post(`/api/TemplateUpgradeAction/${upgradeId}`, { action })
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toBe(`The upgrade is complete, so it cannot be ${action}d.`)
    }
  })

  it('keeps a wave waiting when the job of the wave before is taken again', async () => {
    const { id } = await twoVersions(partner)
    await makeWorkflow(partner, id, { templateVersion: '1' })
    const upgradeId = await startUpgrade(partner, id, { waveSize: 1, waveMinutes: 60 })
    const ofUpgrade = `from jobs where queue = 'template-upgrade' and data->>'id' = $1`
    const isDone = async () => {
      const states = await service.asOwner(`select state ${ofUpgrade}`, [upgradeId])
      return states.length === 1 && states[0]?.['state'] === 'parked'
    }
    await eventually(isDone)
    expect((await readUpgrade(partner, upgradeId)).counts).toMatchObject({ upgraded: 1, pending: 1 })
    // What a worker leaves that died before it could say that its job is done.
    await service.asOwner(
      `insert into jobs (queue, data) select queue, data || jsonb_build_object('turn', (data->>'turn')::int - 1) ${ofUpgrade}`,
      [upgradeId],
    )
    await eventually(isDone)
    expect((await readUpgrade(partner, upgradeId)).counts).toMatchObject({ upgraded: 1, pending: 1 })
    await actOn(partner, upgradeId, 'rollBack')
  })

  it.each([
    ['while the next wave waited', ''],
    // What a pause leaves that comes between the last workflow of a wave and the note of the next wave.
    ['right at the end of a wave', 'wave = 1, wave_due_at = null,'],
  ])('keeps the time at which the next wave is due when it is resumed, paused %s', async (_name, left) => {
    const { id } = await twoVersions(partner)
    await makeWorkflow(partner, id, { templateVersion: '1' })
    const upgradeId = await startUpgrade(partner, id, { waveSize: 1, waveMinutes: 60 })
    const dueAt = async () =>
      (await service.asOwner('select wave_due_at from template_upgrades where id = $1', [upgradeId]))[0]?.[
        'wave_due_at'
      ] as Date
    await eventually(async () => (await dueAt()) !== null)
    if (left !== '')
      await service.asOwner(`update template_upgrades set ${left} turn = turn where id = $1`, [upgradeId])
    await actOn(partner, upgradeId, 'pause')
    const due = await dueAt()
    expect(due.getTime() - Date.now()).toBeGreaterThan(30 * 60_000)
    await actOn(partner, upgradeId, 'resume')
    expect(await dueAt()).toEqual(due)
    const [job] = await service.asOwner(
      `select due_at from jobs where queue = 'template-upgrade' and data->>'id' = $1 order by due_at desc nulls last, queued_at desc limit 1`,
      [upgradeId],
    )
    expect(Math.abs(Number(job?.['due_at'] as Date) - Number(due))).toBeLessThan(60_000)
    expect((await readUpgrade(partner, upgradeId)).counts).toMatchObject({ upgraded: 1, pending: 1 })
    await actOn(partner, upgradeId, 'pause')
    // As if that time had come meanwhile.
    await service.asOwner('update template_upgrades set wave_due_at = now() where id = $1', [upgradeId])
    await actOn(partner, upgradeId, 'resume')
    const ended = await upgradeIn(partner, upgradeId, 'Completed')
    expect(ended.counts.upgraded).toBe(2)
  })
})

describe('rolling back', () => {
  it('brings back what was, and keeps edits that were made since', async () => {
    const { id, block, workflowId } = await twoVersions(partner)
    const edited = await makeWorkflow(partner, id, { templateVersion: '1' })
    const upgradeId = await startUpgrade(partner, id)
    await upgradeIn(partner, upgradeId, 'Completed')
    await update(partner, edited, { chain: [{ uniqueBlockId: block.uniqueBlockId, script: 'return "newer"' }] })
    await actOn(partner, upgradeId, 'rollBack')
    const ended = await upgradeIn(partner, upgradeId, 'RolledBack')
    expect(itemOf(ended, workflowId)).toMatchObject({ outcome: 'rolledBack', revisionAfter: 2 })
    expect(itemOf(ended, edited)).toMatchObject({
      outcome: 'upgraded',
      message: expect.stringContaining('edits are kept'),
    })
    expect(await read(partner, workflowId)).toMatchObject({
      revision: 3,
      templateVersion: '1',
      chain: [{ script: block.script }],
    })
    expect(await read(partner, edited)).toMatchObject({
      revision: 3,
      templateVersion: '2',
      chain: [{ script: 'return "newer"' }],
    })
    const revisions = await partner.post(`/api/WorkflowRevisions/${workflowId}`, {})
    expect(revisions.body.items[0].reason).toBe('RolledBack')
    await actOn(partner, upgradeId, 'rollBack')
  })

  it('happens by itself when the next runs fail, and stops the upgrade when too many do', async () => {
    const { id, workflowId } = await twoVersions(partner, 'return 1', 'throw new Error("broken")')
    const other = await makeWorkflow(partner, id, { templateVersion: '1' })
    await using listener = await startHttpTarget()
    await partner.post('/api/EventSubscriptions', { url: listener.origin, events: ['upgrade.stopped'] })
    await deploy(partner, workflowId)
    expect((await runToEnd(partner, workflowId)).status).toBe('Ready')
    const upgradeId = await startUpgrade(partner, id, { waveSize: 1, waveMinutes: 60, watchRuns: 2, failuresMax: 0 })
    await eventually(async () => (await readUpgrade(partner, upgradeId)).counts.upgraded === 1)
    for (let run = 0; run < 2; run++) expect((await runToEnd(partner, workflowId)).status).toBe('Error')
    const stopped = await upgradeIn(partner, upgradeId, 'Stopped')
    expect(itemOf(stopped, workflowId)).toMatchObject({
      outcome: 'rolledBack',
      message: expect.stringContaining('failed'),
    })
    expect(itemOf(stopped, other)).toMatchObject({ outcome: 'skipped', revisionAfter: null })
    expect(await read(partner, other)).toMatchObject({ revision: 1, templateVersion: '1' })
    expect(await read(partner, workflowId)).toMatchObject({ revision: 3, templateVersion: '1' })
    expect((await runToEnd(partner, workflowId)).status).toBe('Ready')
    const told = await eventually(async () => {
      const mails = await partner.post('/api/GetOutbox', { size: 50 })
      return mails.body.items.find(({ subject }: { subject: string }) => subject.includes('was stopped'))
    })
    expect(told).toBeDefined()
    const event = await eventually(() => listener.received[0])
    expect(JSON.parse(event.body.toString())).toMatchObject({ type: 'upgrade.stopped', data: { accountId: partnerId } })
  })

  it('happens also when the run that fails takes its time', async () => {
    const { id, workflowId } = await twoVersions(partner, 'return 1', 'await sleep(4000); throw new Error("broken")')
    await deploy(partner, workflowId)
    await runToEnd(partner, workflowId)
    const upgradeId = await startUpgrade(partner, id, { watchRuns: 1 })
    await upgradeIn(partner, upgradeId, 'Completed')
    expect((await runToEnd(partner, workflowId)).status).toBe('Error')
    await eventually(async () => (await readUpgrade(partner, upgradeId)).counts.rolledBack === 1)
  })

  it('also happens after Completed, but not to what failed before or works again', async () => {
    const { id, workflowId } = await twoVersions(partner, 'return 1', 'throw new Error("broken")')
    const neverRan = await makeWorkflow(partner, id, { templateVersion: '1' })
    for (const one of [workflowId, neverRan]) await deploy(partner, one)
    await runToEnd(partner, workflowId)
    const upgradeId = await startUpgrade(partner, id, { watchRuns: 1 })
    await upgradeIn(partner, upgradeId, 'Completed')
    await runToEnd(partner, neverRan)
    await runToEnd(partner, workflowId)
    const back = await eventually(async () => {
      const upgrade = await readUpgrade(partner, upgradeId)
      return upgrade.counts.rolledBack === 1 ? upgrade : undefined
    })
    expect(back.state).toBe('Completed')
    expect(itemOf(back, neverRan)).toMatchObject({ outcome: 'upgraded' })
  })
})
