// Workflows, their runs, schedules, upgrades and expectations; calls of applications and imports.
import { randomUUID } from 'node:crypto'
import { twoVersions } from '../../harness/upgrades.ts'
import { createWorkflow, deployWorkflow, runToEnd } from '../../harness/workflows.ts'
import { type Refusal, refusal, type Surroundings } from './refusal.ts'

export function refusalsOfWorkflows(at: Surroundings): Refusal[] {
  const idle = async () => (await createWorkflow(at.manager, ['return 1'])).id
  const deployed = async () => (await deployWorkflow(at.manager, ['return 1'])).id
  /** As if others were always a moment faster: no change of the workflow takes place. */
  async function withoutChanges(id: string): Promise<string> {
    const name = `refused_${id.replaceAll('-', '')}`
    await at.service.asOwner(`create function ${name}() returns trigger language plpgsql as 'begin return null; end'`)
    await at.service.asOwner(
      `create trigger ${name} before update on workflows for each row when (old.id = '${id}') execute function ${name}()`,
    )
    return id
  }
  const search = (more: object) => at.manager.post('/api/SearchRuns', { searchTerm: 'word', ...more })
  const expect_ = async (...expectations: object[]) =>
    at.manager.post(`/api/Expectations/${await idle()}`, { expectations })
  const bring = (body: object) => at.manager.post('/api/CatalogImport', body)

  return [
    refusal('Workflow', 'invalid_request', 'Give runNumber or revision, not both.', async () =>
      at.manager.get(`/api/Workflow/${await idle()}?runNumber=1&revision=1`),
    ),
    refusal('DeployWorkflow', 'not_ready', 'The workflow keeps being changed by other requests.', async () =>
      at.manager.get(`/api/DeployWorkflow/${await withoutChanges(await idle())}`),
    ),
    refusal('WorkflowUpdate', 'not_ready', 'The workflow keeps being changed by other requests.', async () =>
      at.manager.post(`/api/Workflow/${await withoutChanges(await idle())}`, { name: 'Another' }),
    ),
    refusal('WorkflowScheduler', 'invalid_request', 'is required: the workflow has none stored.', async () =>
      at.manager.post('/api/WorkflowScheduler', { workflowId: await deployed(), isScheduled: true }),
    ),
    refusal('RunWorkflow', 'invalid_request', 'The workflow has no webhook request ', async () =>
      at.manager.post('/api/RunWorkflow', { workflowId: await deployed(), webhookId: randomUUID() }),
    ),
    refusal('ReplayStart', 'invalid_request', 'Give runNumbers or lastRuns, not both.', async () => {
      const id = await deployed()
      await runToEnd(at.manager, id)
      return at.manager.post(`/api/Replay/${id}`, { runNumbers: [1], lastRuns: 1 })
    }),
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
    refusal('SearchRuns', 'invalid_request', 'items can be listed. Narrow the search by time, workflow or', () =>
      search({ page: 1000, size: 1000 }),
    ),
    refusal('SearchRuns', 'invalid_request', 'The field searchTerm must contain a letter or a digit.', () =>
      search({ searchTerm: '!?' }),
    ),
    refusal('SearchRuns', 'invalid_request', 'The field searchTerm may contain at most 20 words.', () =>
      search({ searchTerm: Array.from({ length: 21 }, (_, n) => `word${n}`).join(' ') }),
    ),
    refusal('ExpectationsUpdate', 'invalid_request', 'expectations[0]: succeedsWithin takes no min.', () =>
      expect_({ kind: 'succeedsWithin', hours: 1, min: 1 }),
    ),
    refusal('ExpectationsUpdate', 'invalid_request', 'expectations[0]: succeedsWithin needs hours.', () =>
      expect_({ kind: 'succeedsWithin' }),
    ),
    refusal('ExpectationsUpdate', 'invalid_request', 'expectations[0]: usual needs uniqueBlockId.', () =>
      expect_({ kind: 'usual' }),
    ),
    refusal('ExpectationsUpdate', 'invalid_request', 'expectations[1]: succeedsWithin is given twice', () =>
      expect_({ kind: 'succeedsWithin', hours: 1 }, { kind: 'succeedsWithin', hours: 2 }),
    ),
    refusal('ApiGet', 'invalid_request', 'The address must have the form <short name>/<endpoint>.', () =>
      at.manager.get('/api/ApiGet?url=/'),
    ),
    refusal('CatalogImport', 'invalid_request', 'Give either the field files or the field openApi.', () => bring({})),
    refusal('CatalogImport', 'invalid_request', 'Give either the field openApi.document or the field', () =>
      bring({ openApi: { shortName: 'OWN' } }),
    ),
    refusal('CatalogImport', 'invalid_request', 'The field openApi.trustedHosts needs openApi.url.', () =>
      bring({ openApi: { shortName: 'OWN', document: '{}', trustedHosts: ['example.com'] } }),
    ),
  ]
}
