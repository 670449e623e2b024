// What a workflow may be made of, and when it can be deployed.
import { createWorkflow, deployWorkflow } from '../../harness/workflows.ts'
import { type Refusal, refusal, type Surroundings } from './refusal.ts'

const broken = { name: 'Broken', chain: [{ blockName: 'First', script: 'return (' }] }
const unstorable = { name: 'Unstorable', chain: [{ blockName: 'First', script: 'return "\0"' }] }
const notStorable = 'contains a character that cannot be stored (NUL or an unpaired surrogate).'

export function refusalsOfDefinitions(at: Surroundings): Refusal[] {
  const idle = async () => (await createWorkflow(at.manager, ['return 1'])).id
  const deployed = async () => (await deployWorkflow(at.manager, ['return 1'])).id
  const update = async (id: string, body: object, headers: Record<string, string> = {}) =>
    at.manager.with(headers).post(`/api/Workflow/${id}`, body)
  const push = (...workflows: object[]) => at.manager.post('/api/PushWorkflows', { workflows })
  /** An application that nobody has registered. */
  const needy = { chain: [{ blockName: 'Second', script: 'return 2', applicationShortName: 'HTTP' }] }
  const notMapped = 'The application HTTP is not mapped to a registered application.'

  return [
    refusal('WorkflowCreate', 'workflow_invalid', 'First', () => at.manager.post('/api/Workflow', broken)),
    refusal('WorkflowUpdate', 'workflow_invalid', 'First', async () => update(await idle(), broken)),
    refusal('PushWorkflows', 'workflow_invalid', '"Broken": ', () => push({ workflow: broken })),
    refusal('ReplayStart', 'workflow_invalid', 'First', async () =>
      at.manager.post(`/api/Replay/${await idle()}`, { changes: { chain: broken.chain } }),
    ),
    refusal('WorkflowCreate', 'cannot_be_stored', notStorable, () => at.manager.post('/api/Workflow', unstorable)),
    refusal('WorkflowUpdate', 'cannot_be_stored', notStorable, async () => update(await idle(), unstorable)),
    refusal('PushWorkflows', 'cannot_be_stored', notStorable, () => push({ workflow: unstorable })),
    refusal('ReplayStart', 'cannot_be_stored', notStorable, async () =>
      at.manager.post(`/api/Replay/${await idle()}`, { changes: { chain: unstorable.chain } }),
    ),
    refusal('WorkflowUpdate', 'workflow_not_deployable', notMapped, async () => update(await deployed(), needy)),
    refusal('PushWorkflows', 'workflow_not_deployable', notMapped, async () =>
      push({ id: await deployed(), revision: 1, workflow: needy }),
    ),
    refusal('RestoreRevision', 'workflow_not_deployable', notMapped, async () => {
      const id = await idle()
      await update(id, needy)
      const [, second] = (await at.manager.get(`/api/Workflow/${id}`)).body.chain
      await update(id, { chain: [{ uniqueBlockId: second.uniqueBlockId, isDeleted: true }] })
      await at.manager.get(`/api/DeployWorkflow/${id}`)
      return at.manager.post(`/api/RestoreRevision/${id}`, { revision: 2 })
    }),
    refusal('DeployWorkflow', 'workflow_not_deployable', notMapped, async () => {
      const id = await idle()
      await update(id, needy)
      return at.manager.get(`/api/DeployWorkflow/${id}`)
    }),
    refusal('WorkflowUpdate', 'workflow_changed', 'its newest revision is 1, not 7.', async () =>
      update(await idle(), { name: 'Another' }, { 'If-Match': '"7"' }),
    ),
    refusal('PushWorkflows', 'workflow_changed', 'its newest revision is 1, not 7.', async () =>
      push({ id: await idle(), revision: 7, workflow: { name: 'Another' } }),
    ),
  ]
}
