// Runs, what finds and repeats them, and the queues of webhooks.
import { randomUUID } from 'node:crypto'
import type { Client } from '../../harness/client.ts'
import { enableWebhook, hasStatus } from '../../harness/webhooks.ts'
import { createWorkflow, deployWorkflow, runToEnd, startRun } from '../../harness/workflows.ts'
import { type Refusal, refusal, type Surroundings } from './refusal.ts'

const failing = "throw new Error('broken')"

async function failingItem(client: Client) {
  const flow = { forEach: { maxFailures: 'all' } }
  const workflow = await deployWorkflow(client, ['return [1]', { script: failing, flow }])
  await runToEnd(client, workflow.id)
  return workflow
}

export function refusalsOfRuns(at: Surroundings): Refusal[] {
  const idle = async () => (await createWorkflow(at.manager, ['return 1'])).id
  const deployed = async (script = 'return 1') => (await deployWorkflow(at.manager, [script])).id
  const run = (workflowId: string, more: object = {}) => at.manager.post('/api/RunWorkflow', { workflowId, ...more })
  const retry = (workflowId: string) => at.manager.get(`/api/RetryRun/${workflowId}?runNumber=1`)
  const notDeployed = 'only a deployed workflow can run.'
  const search = (more: object) => at.manager.post('/api/SearchRuns', { searchTerm: 'word', ...more })

  return [
    refusal('RunWorkflow', 'workflow_not_deployed', notDeployed, async () => run(await idle())),
    refusal('ErrorWorkflowUpdate', 'workflow_not_deployed', notDeployed, async () =>
      at.manager.post('/api/ErrorWorkflow', { workflowId: await idle() }),
    ),
    refusal('RunAndWait', 'workflow_not_deployed', notDeployed, async () =>
      at.manager.post(`/api/RunAndWait/${await idle()}`, {}),
    ),
    refusal('RunWorkflow', 'blocks_invalid', 'runFromBlock', async () => run(await deployed(), { runFromBlock: 9 })),
    refusal(
      'RunWorkflow',
      'applications_missing',
      'registered applications that are missing or not authenticated: HTTP.',
      async () => {
        const application = { applicationId: 'e31040e1-1997-54d0-bfa6-43f910dc7be6', credentialsJson: baseUrl }
        const { body: connectionId } = await at.manager.post('/api/RegApplication', application)
        const more = { applications: { HTTP: connectionId } }
        const { id } = await deployWorkflow(at.manager, ['return 1'], more)
        // As if the person who had given access took it back.
        const lose = 'update registered_applications set is_authenticated = false where id = $1'
        await at.service.asOwner(lose, [connectionId])
        return run(id, { runTillBlock: 1 })
      },
    ),
    refusal('RetryRun', 'run_not_failed', 'Run 1 succeeded. Only a failed or stopped run can be retried.', async () => {
      const id = await deployed()
      await runToEnd(at.manager, id)
      return retry(id)
    }),
    refusal('RetryRun', 'workflow_not_deployed', notDeployed, async () => {
      const id = await deployed(failing)
      await runToEnd(at.manager, id)
      await at.manager.get(`/api/ArchiveWorkflow/${id}`)
      return retry(id)
    }),
    refusal('RetryRun', 'blocks_invalid', 'where run 1 began or ended, is gone from the workflow.', async () => {
      const { id, blocks } = await deployWorkflow(at.manager, ['return 1', failing])
      await runToEnd(at.manager, id, { runTillBlock: 2 })
      await at.manager.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId: blocks[1], isDeleted: true }] })
      return retry(id)
    }),
    refusal('RetryRun', 'webhook_request_taken', 'is no longer stored, so the run cannot be retried.', async () => {
      const hook = await enableWebhook(at.manager, await deployed(failing))
      const { webhookId } = (await hook.send({})).body
      await hasStatus(at.manager, hook.workflowId, webhookId, 'Failed')
      await at.service.asOwner('delete from webhook_requests where id = $1', [webhookId])
      return retry(hook.workflowId)
    }),
    refusal('RetryItems', 'items_not_open', 'The block has no open failed items in run 1.', async () => {
      const { id, blocks } = await deployWorkflow(at.manager, ['return 1'])
      await runToEnd(at.manager, id)
      return at.manager.post(`/api/RetryItems/${id}`, { runNumber: 1, uniqueBlockId: blocks[0] })
    }),
    refusal('RetryItems', 'workflow_not_deployed', notDeployed, async () => {
      const { id, blocks } = await failingItem(at.manager)
      await at.manager.get(`/api/ArchiveWorkflow/${id}`)
      return at.manager.post(`/api/RetryItems/${id}`, { runNumber: 1, uniqueBlockId: blocks[1] })
    }),
    refusal('RetryItems', 'blocks_invalid', 'whose items failed in run 1 is gone from the workflow.', async () => {
      const { id, blocks } = await failingItem(at.manager)
      await at.manager.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId: blocks[1], isDeleted: true }] })
      return at.manager.post(`/api/RetryItems/${id}`, { runNumber: 1, uniqueBlockId: blocks[1] })
    }),
    refusal(
      'DismissItems',
      'items_not_open',
      'is still in progress. Dismiss its items once it has ended.',
      async () => {
        const { id: workflowId, blocks } = await deployWorkflow(at.manager, ['await sleep(60000)'])
        const runNumber = await startRun(at.manager, workflowId)
        return at.manager.post('/api/DismissItems', { workflowId, runNumber, uniqueBlockId: blocks[0], comment: 'No.' })
      },
    ),
    refusal('WorkflowScheduler', 'workflow_not_deployed', 'deployed', async () =>
      at.manager.post('/api/WorkflowScheduler', {
        workflowId: await idle(),
        isScheduled: true,
        scheduleFrequency: 'daily',
      }),
    ),
    refusal('WebhookSettingsEnable', 'workflow_archived', 'The workflow is archived, so it cannot take', async () => {
      const id = await idle()
      await at.manager.get(`/api/ArchiveWorkflow/${id}`)
      return at.manager.post(`/api/WebhookSettingsEnable/${id}`, {})
    }),
    ...(['WebhookQueueHold', 'WebhookQueueRelease', 'WebhookReplay'] as const).map((operation) =>
      refusal(operation, 'webhook_not_configured', 'The webhook of this workflow is not configured.', async () =>
        at.manager.post(`/api/${operation}/${await deployed()}`, {}),
      ),
    ),
    refusal('RunWorkflow', 'invalid_request', 'The workflow has no webhook request ', async () =>
      at.manager.post('/api/RunWorkflow', { workflowId: await deployed(), webhookId: randomUUID() }),
    ),
    refusal('ReplayStart', 'invalid_request', 'Give runNumbers or lastRuns, not both.', async () => {
      const id = await deployed()
      await runToEnd(at.manager, id)
      return at.manager.post(`/api/Replay/${id}`, { runNumbers: [1], lastRuns: 1 })
    }),
    refusal('SearchRuns', 'invalid_request', 'items can be listed. Narrow the search by time, workflow or', () =>
      search({ page: 1000, size: 1000 }),
    ),
    refusal('SearchRuns', 'invalid_request', 'The field searchTerm must contain a letter or a digit.', () =>
      search({ searchTerm: '!?' }),
    ),
    refusal('SearchRuns', 'invalid_request', 'The field searchTerm may contain at most 20 words.', () =>
      search({ searchTerm: Array.from({ length: 21 }, (_, n) => `word${n}`).join(' ') }),
    ),
  ]
}

const baseUrl = '{"baseUrl":"https://example.com"}'
