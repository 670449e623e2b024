// Workflows, their schedules and expectations.
import { createWorkflow, deployWorkflow } from '../../harness/workflows.ts'
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
  const expect_ = async (...expectations: object[]) =>
    at.manager.post(`/api/Expectations/${await idle()}`, { expectations })

  const usedByAnother = async () => {
    const workflowId = await idle()
    await createWorkflow(at.manager, [{ flow: { subWorkflow: { workflowId } } }])
    return workflowId
  }

  return [
    ...(['ArchiveWorkflow', 'DeleteWorkflow'] as const).map((operation) =>
      refusal(operation, 'workflow_in_use', 'Other workflows run it as a sub-workflow: ', async () =>
        at.manager.get(`/api/${operation}/${await usedByAnother()}`),
      ),
    ),
    refusal('Workflow', 'invalid_request', 'Give runNumber or revision, not both.', async () =>
      at.manager.get(`/api/Workflow/${await idle()}?runNumber=1&revision=1`),
    ),
    refusal('BulkAction', 'invalid_request', 'Give either workflowIds or filter.', () =>
      at.manager.post('/api/BulkAction', { action: 'pause' }),
    ),
    refusal('BulkAction', 'invalid_request', 'Give tag with the action tag, and only with it.', () =>
      at.manager.post('/api/BulkAction', { action: 'tag', filter: {} }),
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
  ]
}
