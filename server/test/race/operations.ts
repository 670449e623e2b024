// The operations of the race matrix: each changes something of one workflow, the connections it may be given, or its account.
import { expect } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Answer, Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import type { TestService } from '../harness/service.ts'
import { createWorkflow } from '../harness/workflows.ts'

const testApplication = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'

export type Stage = {
  /** Acts for the account, whatever state that is in. */
  client: Client
  manager: Client
  accountId: string
  workflowId: string
  given: string
  spare: string
}

export const startStates = ['inDevelopment', 'deployed'] as const
export type StartState = (typeof startStates)[number]

/** A workflow with one connection, and another that it could be given. */
export async function setStage(service: TestService, state: StartState): Promise<Stage> {
  const { id: accountId } = await createAccount(service, service.manager, 'User')
  const client = service.manager.as(accountId)
  const register = async () =>
    (await client.post('/api/RegApplication', { applicationId: testApplication, credentialsJson: '{}' })).body as string
  const [given, spare] = [await register(), await register()]
  const { id: workflowId } = await createWorkflow(client, ['return 1'], { applications: { TEST: given } })
  if (state === 'deployed') expect((await client.get(`/api/DeployWorkflow/${workflowId}`)).status).toBe(200)
  return { client, manager: service.manager, accountId, workflowId, given, spare }
}

const change = (body: object) => (at: Stage) => at.client.post(`/api/Workflow/${at.workflowId}`, body)
const visit = (name: string) => (at: Stage) => at.client.get(`/api/${name}/${at.workflowId}`)
const state = (accountState: string) => (at: Stage) =>
  at.manager.post(`/api/AccountState/${at.accountId}`, { accountState })

export const raceOperations: Record<string, (at: Stage) => Promise<Answer>> = {
  deploy: visit('DeployWorkflow'),
  archive: visit('ArchiveWorkflow'),
  delete: visit('DeleteWorkflow'),
  resume: visit('ResumeWorkflow'),
  rename: change({ name: 'Renamed' }),
  setVariable: change({ variables: { colour: { value: 'red', type: 'text' } } }),
  give: (at) => change({ applications: { TEST: at.spare } })(at),
  takeAway: change({ applications: { TEST: null } }),
  restore: (at) => at.client.post(`/api/RestoreRevision/${at.workflowId}`, { revision: 1 }),
  run: (at) => at.client.post('/api/RunWorkflow', { workflowId: at.workflowId }),
  schedule: ({ client, workflowId }) =>
    client.post('/api/WorkflowScheduler', { workflowId, isScheduled: true, scheduleFrequency: 'monthly' }),
  unschedule: ({ client, workflowId }) => client.post('/api/WorkflowScheduler', { workflowId, isScheduled: false }),
  enableWebhook: (at) => at.client.post(`/api/WebhookSettingsEnable/${at.workflowId}`, {}),
  cleanWebhook: (at) =>
    at.client.post(`/api/WebhookSettingsDisable/${at.workflowId}?disableWithCleanSettings=true`, {}),
  holdQueue: (at) => at.client.post(`/api/WebhookQueueHold/${at.workflowId}`),
  setVault: (at) => at.client.post(`/api/MyVaultSet/${at.workflowId}/key`, { jsonData: 1 }),
  addTag: (at) => at.client.post(`/api/AttributeTagAdd/workflow/${at.workflowId}`, { value: 'pilot' }),
  expect: (at) =>
    at.client.post(`/api/Expectations/${at.workflowId}`, { expectations: [{ kind: 'succeedsWithin', hours: 26 }] }),
  deleteGiven: (at) => at.client.get(`/api/DeleteRegApplication/${at.given}`),
  deleteSpare: (at) => at.client.get(`/api/DeleteRegApplication/${at.spare}`),
  lockAccount: state('Locked'),
  activateAccount: state('Active'),
  makePartner: (at) => at.manager.post(`/api/AccountUpdate/${at.accountId}`, { roleName: 'DevPartner' }),
}

/** What is left once all is quiet, with names in place of ids. */
export async function lookAt(service: TestService, at: Stage): Promise<Record<string, unknown>> {
  const one = async (statement: string) => (await service.asOwner(statement, [at.workflowId]))[0]
  await eventually(async () => {
    const row = await one('select count(*)::integer as n from runs where workflow_id = $1 and ended_at is null')
    return row?.['n'] === 0
  })
  const workflow = await one(`
    select state, revision, name, is_scheduled, next_run_at is not null as has_next_run, is_webhook_active, is_auto_run_paused, applications,
      (select count(*)::integer from workflow_revisions r where r.workflow_id = w.id) as revisions,
      array(select target from workflow_uses u where u.workflow_id = w.id and kind = 'registeredApplication') as uses
    from workflows w where id = $1`)
  const counts = await one(`
    select (select count(*)::integer from runs where workflow_id = $1) as runs,
      (select count(*)::integer from webhooks where workflow_id = $1) as webhooks,
      (select bool_or(is_held) from webhooks where workflow_id = $1) as is_held,
      (select count(*)::integer from vault_entries where workflow_id = $1) as vault,
      (select count(*)::integer from expectations where workflow_id = $1) as expectations,
      (select count(*)::integer from tags where entity_id = $1) as tags`)
  const connections = await service.asOwner(
    'select id, is_authenticated from registered_applications where account_id = $1 order by id',
    [at.accountId],
  )
  const account = await service.asOwner('select state, role from accounts where id = $1', [at.accountId])
  const text = JSON.stringify({ workflow: workflow ?? null, counts, connections, account })
  return JSON.parse(text.replaceAll(at.given, 'given').replaceAll(at.spare, 'spare'))
}
