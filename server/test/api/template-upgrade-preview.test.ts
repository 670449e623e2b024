// What an upgrade would do to each workflow is told before anything happens, and what makes no sense is refused.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import type { TestService } from '../harness/service.ts'
import { createTemplate, newBlock, type TemplateBlock } from '../harness/templates.ts'
import {
  itemOf,
  makeWorkflow,
  previewUpgrade,
  read,
  script,
  startUpgrade,
  startWithPartner,
  twoVersions,
  update,
  upgradeIn,
} from '../harness/upgrades.ts'

let service: TestService
let partner: Client
let partnerId: string
let partnerEmail: string
beforeAll(async () => {
  ;({ service, partner, partnerId, partnerEmail } = await startWithPartner())
})
afterAll(() => service[Symbol.asyncDispose]())

describe('a preview', () => {
  it('shows what would change, and changes nothing', async () => {
    const { id, block, workflowId } = await twoVersions(partner)
    const answer = await previewUpgrade(partner, id)
    expect(answer).toEqual({
      items: [
        {
          workflowId,
          accountId: partnerId,
          accountName: 'Ada Test',
          accountEmail: partnerEmail,
          name: expect.any(String),
          revision: 1,
          fromVersion: '1',
          toVersion: '2',
          outcome: 'clean',
          message: null,
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
          needs: [],
          notes: [],
        },
      ],
      total: 1,
      counts: { upToDate: 0, clean: 1, conflict: 0, problem: 0 },
    })
    expect(await read(partner, workflowId)).toMatchObject({ revision: 1, templateVersion: '1' })
  })

  it('covers every account in reach, and a managed account narrows it', async () => {
    const { id, block } = await twoVersions(partner)
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
    const { id } = await twoVersions(partner, undefined, undefined, {
      variables: [{ shortName: 'city', displayName: 'City', type: 'text', required: true }],
      applications: ['TEST'],
    })
    const [item] = (await previewUpgrade(partner, id)).items
    expect(item.outcome).toBe('problem')
    expect(item.problems).toEqual([
      'The required variable "city" has no value.',
      'The application TEST is not mapped to a registered application.',
    ])
    expect(item.needs).toMatchObject([
      { kind: 'variable', name: 'city', type: 'text', displayName: 'City' },
      { kind: 'application', name: 'TEST' },
    ])
  })

  it('is a conflict where lines of both sides together do not compile', async () => {
    const own = 'const extra = 1'
    const { id, block, workflowId } = await twoVersions(partner, undefined, `${script('let a = 1', own)}\nreturn a`)
    const mine = block.script.replace('let a = 1', `let a = 1\n${own}`)
    await update(partner, workflowId, { chain: [{ uniqueBlockId: block.uniqueBlockId, script: mine }] })
    const [item] = (await previewUpgrade(partner, id)).items
    expect(item.conflicts).toMatchObject([{ field: 'script', base: block.script, ours: mine }])
  })
})

describe('bad input', () => {
  const refusal = async (body: Record<string, unknown>, operation = 'TemplateUpgrade') => {
    const answer = await partner.post(`/api/${operation}`, body)
    return [answer.status, answer.body.errorMessage] as const
  }

  it('names a version, a template or a workflow that does not exist', async () => {
    const { id, workflowId } = await twoVersions(partner)
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
      const other = await makeWorkflow(partner, (await twoVersions(partner)).id)
      expect((await refusal({ workflowTemplateId: id, workflowIds: [workflowId, other] }, operation))[0]).toBe(400)
    }
    expect((await partner.get(`/api/TemplateUpgrade/${randomUUID()}`)).status).toBe(404)
  })

  it('asks for an older version', async () => {
    const { id } = await twoVersions(partner)
    await upgradeIn(partner, await startUpgrade(partner, id), 'Completed')
    expect(await refusal({ workflowTemplateId: id, toVersion: '1' })).toEqual([400, expect.stringContaining('older')])
    expect((await refusal({ workflowTemplateId: id, toVersion: '1' }, 'TemplateUpgradePreview'))[0]).toBe(400)
  })

  it('resolves what is no conflict, with a value that does not fit, or fills what is full', async () => {
    const { id, block, workflowId } = await twoVersions(partner)
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
    const { id } = await twoVersions(partner)
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
