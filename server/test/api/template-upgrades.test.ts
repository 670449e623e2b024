// Customers' workflows follow the next version of their template and keep what was changed in them.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { createTemplate, newBlock, type TemplateBlock, type TemplateContent } from '../harness/templates.ts'
import { actOn, previewUpgrade, readUpgrade, startUpgrade, upgradeIn } from '../harness/upgrades.ts'
import { runToEnd } from '../harness/workflows.ts'

let service: TestService
let partner: Client
let partnerId: string
let partnerEmail: string
beforeAll(async () => {
  service = await startService()
  const made = await createAccount(service, service.manager, 'DevPartner')
  partner = made.client
  await service.manager.post(`/api/AccountUpdate/${made.id}`, { canActivateAccounts: true })
  partnerId = made.id
  partnerEmail = made.email
})
afterAll(() => service[Symbol.asyncDispose]())

const script = (first: string, last: string) => [first, 'const kept = 1', 'const also = 2', last].join('\n')

async function makeWorkflow(client: Client, workflowTemplateId: string, more: Record<string, unknown> = {}) {
  const made = await client.post('/api/Workflow', { workflowTemplateId, ...more })
  expect(made.status, made.text).toBe(200)
  return made.body as string
}
const read = async (client: Client, id: string, query = '') => (await client.get(`/api/Workflow/${id}${query}`)).body
const update = async (client: Client, id: string, body: Record<string, unknown>) => {
  const answer = await client.post(`/api/Workflow/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
}
const deploy = async (client: Client, id: string) =>
  expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
const itemOf = (answer: { items: { workflowId: string }[] }, id: string) =>
  answer.items.find(({ workflowId }) => workflowId === id)

/** A template of one block in two versions, with one workflow of the first. */
async function twoVersions(
  first = script('let a = 1', 'return a'),
  second = script('let a = 1', 'return a + 1'),
  more: Partial<TemplateContent> = {},
) {
  const template = createTemplate(partner)
  const block = newBlock(first)
  await template.publish('1', { chain: [block] })
  const workflowId = await makeWorkflow(partner, template.id)
  await template.publish('2', { chain: [{ ...block, script: second }], ...more })
  return { ...template, block, workflowId }
}

describe('a preview', () => {
  it('shows what would change, and changes nothing', async () => {
    const { id, block, workflowId } = await twoVersions()
    const answer = await previewUpgrade(partner, id)
    expect(answer).toEqual({
      items: [
        {
          workflowId,
          accountId: partnerId,
          accountEmail: partnerEmail,
          name: expect.any(String),
          revision: 1,
          fromVersion: '1',
          toVersion: '2',
          outcome: 'clean',
          changes: [
            {
              uniqueBlockId: block.uniqueBlockId,
              blockName: 'Only',
              change: 'changed',
              fields: [{ name: 'script', from: block.script, to: script('let a = 1', 'return a + 1') }],
            },
          ],
          conflicts: [],
          problems: [],
          notes: [],
        },
      ],
      total: 1,
      counts: { upToDate: 0, clean: 1, conflict: 0, problem: 0 },
    })
    expect(await read(partner, workflowId)).toMatchObject({ revision: 1, templateVersion: '1' })
  })

  it('covers every account in reach, and a managed account narrows it', async () => {
    const { id, block } = await twoVersions()
    const customer = await createAccount(service, partner, 'User')
    const own = await makeWorkflow(customer.client, id, {
      templateVersion: '1',
      chain: [{ uniqueBlockId: block.uniqueBlockId, script: 'return "mine"' }],
    })
    const all = await previewUpgrade(partner, id)
    expect(all.total).toBe(2)
    expect(itemOf(all, own)).toMatchObject({ accountId: customer.id, outcome: 'conflict' })
    expect(all.counts).toEqual({ upToDate: 0, clean: 1, conflict: 1, problem: 0 })
    const narrowed = await partner.as(customer.id).post('/api/TemplateUpgradePreview', { workflowTemplateId: id })
    expect(narrowed.body.items.map(({ workflowId }: { workflowId: string }) => workflowId)).toEqual([own])
    const second = await previewUpgrade(partner, id, { page: 1, size: 1 })
    expect([second.items.length, second.total, second.counts]).toEqual([1, 2, all.counts])
    const conflicts = await previewUpgrade(partner, id, { outcome: 'conflict' })
    expect([conflicts.total, conflicts.counts]).toEqual([1, all.counts])
    expect(conflicts.items).toMatchObject([{ workflowId: own, accountEmail: customer.email }])
    expect((await customer.client.post('/api/TemplateUpgradePreview', { workflowTemplateId: id })).status).toBe(403)
  })

  it('names conflicts, hides secrets in them, and leaves archived workflows out', async () => {
    const template = createTemplate(partner)
    const [first, second] = [newBlock('return 1'), newBlock('return 2', { blockName: 'Second' })]
    await template.publish('1', { chain: [first, second] })
    const workflowId = await makeWorkflow(partner, template.id)
    await update(partner, workflowId, {
      unboundFromTemplate: true,
      chain: [
        {
          uniqueBlockId: second.uniqueBlockId,
          variables: { token: { variableSource: 'Value', value: 's3cret', type: 'password' } },
        },
      ],
    })
    const archived = await makeWorkflow(partner, template.id)
    await partner.get(`/api/ArchiveWorkflow/${archived}`)
    await template.publish('2', { chain: [first] })
    const answer = await previewUpgrade(partner, template.id)
    expect(answer.total).toBe(1)
    expect(answer.items[0]).toMatchObject({
      outcome: 'conflict',
      conflicts: [{ uniqueBlockId: second.uniqueBlockId, blockName: 'Second', field: 'block', theirs: null }],
    })
    expect(answer.items[0].conflicts[0].ours.variables.token.value).toBe('********')
    expect(JSON.stringify(answer)).not.toContain('s3cret')
  })

  it('says what would be missing', async () => {
    const { id } = await twoVersions(undefined, undefined, {
      variables: [{ shortName: 'city', displayName: 'City', type: 'text', required: true }],
      applications: ['TEST'],
    })
    const [item] = (await previewUpgrade(partner, id)).items
    expect(item.outcome).toBe('problem')
    expect(item.problems).toEqual([
      'The required variable "city" has no value.',
      'The application TEST is not mapped to a registered application.',
    ])
  })

  it('is a conflict where lines of both sides together do not compile', async () => {
    const own = 'const extra = 1'
    const { id, block, workflowId } = await twoVersions(undefined, `${script('let a = 1', own)}\nreturn a`)
    const mine = block.script.replace('let a = 1', `let a = 1\n${own}`)
    await update(partner, workflowId, { chain: [{ uniqueBlockId: block.uniqueBlockId, script: mine }] })
    const [item] = (await previewUpgrade(partner, id)).items
    expect(item.conflicts).toMatchObject([{ field: 'script', base: block.script, ours: mine }])
  })
})

describe('an upgrade', () => {
  it('merges, and leaves a revision and an audit row', async () => {
    const { id, block, workflowId } = await twoVersions()
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
    const { id, block, workflowId } = await twoVersions('return 1', 'return 2')
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
    await service.asOwner('update template_upgrades set wave_minutes = 0 where id = $1', [upgradeId])
    await actOn(partner, upgradeId, 'resume')
    const ended = await upgradeIn(partner, upgradeId, 'Completed')
    const outcomes = waiting.map((id: string) => (itemOf(ended, id) as unknown as { outcome: string }).outcome)
    expect(outcomes).toEqual(['upgraded', 'conflict', 'skipped', 'skipped'])
    expect((await read(partner, waiting[0])).chain[0].script).toBe(script('let a = 41', 'return a + 1'))
    for (const action of ['pause', 'resume']) {
      expect((await partner.post(`/api/TemplateUpgradeAction/${upgradeId}`, { action })).status).toBe(400)
    }
  })
})

describe('rolling back', () => {
  it('brings back what was, and keeps edits that were made since', async () => {
    const { id, block, workflowId } = await twoVersions()
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
    const { id, workflowId } = await twoVersions('return 1', 'throw new Error("broken")')
    const other = await makeWorkflow(partner, id, { templateVersion: '1' })
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
  })

  it('also happens after Completed, but not to what failed before or works again', async () => {
    const { id, workflowId } = await twoVersions('return 1', 'throw new Error("broken")')
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

describe('bad input', () => {
  const refusal = async (body: Record<string, unknown>, operation = 'TemplateUpgrade') => {
    const answer = await partner.post(`/api/${operation}`, body)
    return [answer.status, answer.body.errorMessage] as const
  }

  it('names a version, a template or a workflow that does not exist', async () => {
    const { id, workflowId } = await twoVersions()
    for (const operation of ['TemplateUpgradePreview', 'TemplateUpgrade']) {
      expect(await refusal({ workflowTemplateId: id, toVersion: '7' }, operation)).toEqual([
        400,
        expect.stringContaining('7'),
      ])
      expect((await refusal({ workflowTemplateId: randomUUID() }, operation))[0]).toBe(404)
      expect((await refusal({ workflowTemplateId: id, workflowIds: [randomUUID()] }, operation))[0]).toBe(404)
      const stranger = await createOrganization(service)
      const foreign = await stranger.manager.post(`/api/${operation}`, { workflowTemplateId: id })
      expect(foreign.status).toBe(404)
      const other = await makeWorkflow(partner, (await twoVersions()).id)
      expect((await refusal({ workflowTemplateId: id, workflowIds: [workflowId, other] }, operation))[0]).toBe(400)
    }
    expect((await partner.get(`/api/TemplateUpgrade/${randomUUID()}`)).status).toBe(404)
  })

  it('asks for an older version', async () => {
    const { id } = await twoVersions()
    await upgradeIn(partner, await startUpgrade(partner, id), 'Completed')
    expect(await refusal({ workflowTemplateId: id, toVersion: '1' })).toEqual([400, expect.stringContaining('older')])
    expect((await refusal({ workflowTemplateId: id, toVersion: '1' }, 'TemplateUpgradePreview'))[0]).toBe(400)
  })

  it('resolves what is no conflict, with a value that does not fit, or fills what is full', async () => {
    const { id, block, workflowId } = await twoVersions()
    const resolution = {
      workflowId,
      revision: 1,
      uniqueBlockId: block.uniqueBlockId,
      field: 'script',
      take: 'template',
    }
    expect(await refusal({ workflowTemplateId: id, resolutions: [resolution] })).toEqual([
      400,
      expect.stringContaining('no conflict'),
    ])
    expect(
      (await refusal({ workflowTemplateId: id, resolutions: [{ ...resolution, take: 'value', value: 7 }] }))[0],
    ).toBe(400)
    expect(
      (await refusal({ workflowTemplateId: id, resolutions: [{ ...resolution, workflowId: randomUUID() }] }))[0],
    ).toBe(404)
    expect(await refusal({ workflowTemplateId: id, values: [{ workflowId, variables: { nobody: 1 } }] })).toEqual([
      400,
      expect.stringContaining('"nobody"'),
    ])
    expect((await refusal({ workflowTemplateId: id, replayRuns: 201 }))[0]).toBe(400)
    expect((await refusal({ workflowTemplateId: id, waveSize: 0 }))[0]).toBe(400)
    expect(await read(partner, workflowId)).toMatchObject({ revision: 1 })
  })

  it('upgrades to a template that removed everything', async () => {
    const template = createTemplate(partner)
    const [kept, gone]: TemplateBlock[] = [newBlock('return 1'), newBlock('return 2')] as never
    await template.publish('1', { chain: [gone as TemplateBlock] })
    const workflowId = await makeWorkflow(partner, template.id)
    await template.publish('2', { chain: [kept as TemplateBlock] })
    await upgradeIn(partner, await startUpgrade(partner, template.id), 'Completed')
    expect((await read(partner, workflowId)).chain).toMatchObject([{ uniqueBlockId: kept?.uniqueBlockId }])
  })

  it('reads or touches the upgrade of somebody else', async () => {
    const { id } = await twoVersions()
    const upgradeId = await startUpgrade(partner, id)
    const colleague = await createAccount(service, service.manager, 'DevPartner')
    const stranger = await createOrganization(service)
    for (const client of [colleague.client, stranger.manager]) {
      expect((await client.get(`/api/TemplateUpgrade/${upgradeId}`)).status).toBe(404)
      expect((await client.post(`/api/TemplateUpgradeAction/${upgradeId}`, { action: 'rollBack' })).status).toBe(404)
      expect((await client.post('/api/TemplateUpgrades', {})).body.total).toBe(0)
    }
    expect((await service.manager.get(`/api/TemplateUpgrade/${upgradeId}`)).status).toBe(200)
    const listed = await partner.post('/api/TemplateUpgrades', { page: 0, size: 1 })
    expect(listed.body.items[0]).toMatchObject({ id: upgradeId, workflowTemplateId: id })
    await upgradeIn(partner, upgradeId, 'Completed')
  })
})
