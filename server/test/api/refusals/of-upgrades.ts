import { createTemplate, newBlock } from '../../harness/templates.ts'
import { makeWorkflow, startUpgrade, twoVersions, upgradeIn } from '../../harness/upgrades.ts'
import { type Refusal, refusal, type Surroundings, shared } from './refusal.ts'

export function refusalsOfUpgrades(at: Surroundings): Refusal[] {
  const templateId = shared(async () => (await twoVersions(at.manager)).id)
  /** To version 2 an upgrade is over; one to version 3 has begun, and its second wave is an hour away. */
  const underWay = shared(async () => {
    const template = createTemplate(at.manager)
    const block = newBlock('return 1')
    await template.publish('1', { chain: [block] })
    for (let made = 0; made < 2; made++) await makeWorkflow(at.manager, template.id)
    await template.publish('2', { chain: [{ ...block, script: 'return 2' }] })
    const over = await startUpgrade(at.manager, template.id)
    await upgradeIn(at.manager, over, 'Completed')
    await template.publish('3', { chain: [{ ...block, script: 'return 3' }] })
    await startUpgrade(at.manager, template.id, { waveSize: 1, waveMinutes: 60 })
    return { id: template.id, over }
  })
  const upgrade = (workflowTemplateId: string, more: object = {}) =>
    at.manager.post('/api/TemplateUpgrade', { workflowTemplateId, ...more })
  const act = (id: string, action: string) => at.manager.post(`/api/TemplateUpgradeAction/${id}`, { action })
  const unknown = 'but the template has no such published version.'

  return [
    refusal('TemplateUpgradePreview', 'upgrade_invalid', unknown, async () =>
      at.manager.post('/api/TemplateUpgradePreview', { workflowTemplateId: await templateId(), toVersion: '9' }),
    ),
    refusal('TemplateUpgrade', 'upgrade_invalid', unknown, async () => upgrade(await templateId(), { toVersion: '9' })),
    refusal('TemplateUpgrade', 'cannot_be_stored', 'contains a character that cannot be stored', async () => {
      const { id, workflowId } = await twoVersions(at.manager)
      return upgrade(id, { values: [{ workflowId, variables: { word: 'NUL: \0' } }] })
    }),
    refusal('TemplateUpgrade', 'upgrade_running', 'Another upgrade of this template is in progress.', async () =>
      upgrade((await underWay()).id),
    ),
    refusal('TemplateUpgradeAction', 'upgrade_running', 'Another upgrade of this template is in progress.', async () =>
      act((await underWay()).over, 'rollBack'),
    ),
    refusal('TemplateUpgradeAction', 'upgrade_over', 'The upgrade is complete, so it cannot be paused.', async () =>
      act((await underWay()).over, 'pause'),
    ),
    refusal(
      'TemplateUpgrade',
      'invalid_request',
      'has a resolution or values, but workflowIds does not name',
      async () => {
        const { id, workflowId } = await twoVersions(at.manager)
        const other = await at.manager.post('/api/Workflow', { workflowTemplateId: id, templateVersion: '1' })
        const values = [{ workflowId: other.body, variables: { word: 'x' } }]
        return at.manager.post('/api/TemplateUpgrade', { workflowTemplateId: id, workflowIds: [workflowId], values })
      },
    ),
  ]
}
