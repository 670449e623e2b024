import type { AuditAction } from '@patchbay/contract'
import { eventually } from '../../harness/eventually.ts'
import { createTemplate, newBlock } from '../../harness/templates.ts'
import { readUpgrade, startUpgrade, twoVersions, upgradeIn } from '../../harness/upgrades.ts'
import { deployWorkflow, runToEnd, startRun } from '../../harness/workflows.ts'
import type { Bench, Changes, Request } from './change.ts'

export function changesOfWorkflows({ manager, post, get, idle, deployed }: Bench): Changes {
  async function upgrade(isPaused = false): Promise<string> {
    const made = createTemplate(manager)
    const first = newBlock('return 1')
    await made.publish('1', { chain: [first] })
    for (let count = 0; count < 2; count++) await manager.post('/api/Workflow', { workflowTemplateId: made.id })
    await made.publish('2', { chain: [{ ...first, script: 'return 2' }] })
    const id = await startUpgrade(manager, made.id, { waveSize: 1, waveMinutes: 60 })
    await eventually(async () => (await readUpgrade(manager, id)).counts.upgraded === 1)
    if (isPaused) await manager.post(`/api/TemplateUpgradeAction/${id}`, { action: 'pause' })
    return id
  }
  /** Waits until the service has done its part too. */
  async function actedOn(id: string, action: string, { ends, also }: { ends: string; also: AuditAction }) {
    const request: Request = async () => {
      const answer = await manager.post(`/api/TemplateUpgradeAction/${id}`, { action })
      await upgradeIn(manager, id, ends)
      return answer
    }
    return Object.assign(request, { about: id, also: [also] })
  }
  async function alarm(): Promise<string> {
    const workflow = await deployWorkflow(manager, ['return { n: 1 }'])
    const expectation = { kind: 'itemsBetween', uniqueBlockId: workflow.blocks[0], min: 2 }
    await manager.post(`/api/Expectations/${workflow.id}`, { expectations: [expectation] })
    await runToEnd(manager, workflow.id)
    return eventually(async () => {
      const { items } = (await manager.post('/api/Alarms', { isOpen: true, size: 100 })).body
      return items.find((item: { workflowId: string }) => item.workflowId === workflow.id)?.id
    })
  }
  async function approval(): Promise<string> {
    const wait = { approval: { title: '"Pay"', to: ['nobody@people.example'] } }
    const workflow = await deployWorkflow(manager, [{ script: 'return 1', flow: { wait } }])
    await startRun(manager, workflow.id)
    return eventually(async () => {
      const { items } = (await manager.post('/api/Approvals', { isOpen: true, size: 100 })).body
      return items.find((item: { workflowId: string }) => item.workflowId === workflow.id)?.id
    })
  }
  async function failedItem() {
    const { id: workflowId, blocks } = await deployWorkflow(manager, [
      'return [1]',
      { script: 'throw new Error("bad")', flow: { forEach: { maxFailures: 'all' } } },
    ])
    await runToEnd(manager, workflowId)
    return { workflowId, runNumber: 1, uniqueBlockId: blocks[1] }
  }
  const schedule = (workflowId: string, isScheduled: boolean) => ({
    workflowId,
    isScheduled,
    scheduleFrequency: '0 4 * * *',
  })

  return {
    WorkflowCreate: {
      'workflow.created': async () => post('/api/Workflow', { name: 'Audited', chain: [{ script: 'return 1' }] }),
    },
    WorkflowUpdate: { 'workflow.changed': async () => post(`/api/Workflow/${await idle()}`, { name: 'Another' }) },
    PushWorkflows: {
      'workflow.created': async () =>
        post('/api/PushWorkflows', {
          workflows: [{ workflow: { name: 'Audited', chain: [{ script: 'return 1' }] } }],
        }),
      'workflow.changed': async () =>
        post('/api/PushWorkflows', { workflows: [{ id: await idle(), revision: 1, workflow: { name: 'Another' } }] }),
    },
    BulkAction: {
      'workflow.paused': async () => post('/api/BulkAction', { action: 'pause', workflowIds: [await deployed()] }),
      'workflow.resumed': async () => {
        const workflowIds = [await deployed()]
        await manager.post('/api/BulkAction', { action: 'pause', workflowIds })
        return post('/api/BulkAction', { action: 'resume', workflowIds })
      },
      'workflow.deployed': async () => post('/api/BulkAction', { action: 'deploy', workflowIds: [await idle()] }),
      'tag.added': async () => post('/api/BulkAction', { action: 'tag', tag: 'pilot', workflowIds: [await idle()] }),
    },
    RestoreRevision: {
      'workflow.restored': async () => {
        const id = await idle()
        await manager.post(`/api/Workflow/${id}`, { name: 'Another' })
        return post(`/api/RestoreRevision/${id}`, { revision: 1 })
      },
    },
    TemplateUpgrade: {
      'upgrade.started': async () => {
        const { id } = await twoVersions(manager)
        const request: Request = async () => {
          const answer = await manager.post('/api/TemplateUpgrade', { workflowTemplateId: id })
          await upgradeIn(manager, answer.body.upgradeId, 'Completed')
          return answer
        }
        return Object.assign(request, { also: ['workflow.upgraded'] as const })
      },
    },
    TemplateUpgradeAction: {
      'upgrade.paused': async () => post(`/api/TemplateUpgradeAction/${await upgrade()}`, { action: 'pause' }),
      // Its next wave is still as far away as it was, so nothing else changes.
      'upgrade.resumed': async () => post(`/api/TemplateUpgradeAction/${await upgrade(true)}`, { action: 'resume' }),
      'upgrade.rolledBack': async () =>
        actedOn(await upgrade(true), 'rollBack', { ends: 'RolledBack', also: 'workflow.rolledBack' }),
    },
    DeployWorkflow: { 'workflow.deployed': async () => get(`/api/DeployWorkflow/${await idle()}`) },
    ArchiveWorkflow: { 'workflow.archived': async () => get(`/api/ArchiveWorkflow/${await deployed()}`) },
    DeleteWorkflow: { 'workflow.deleted': async () => get(`/api/DeleteWorkflow/${await idle()}`) },
    StopWorkflowRun: {
      'run.stopped': async () => {
        const id = await deployed('await sleep(60000)')
        return get(`/api/StopWorkflowRun/${id}?runNumber=${await startRun(manager, id)}`)
      },
    },
    DismissItems: {
      'items.dismissed': async () => post('/api/DismissItems', { ...(await failedItem()), comment: 'Done by hand.' }),
    },
    RetryItems: {
      'items.retried': async () => {
        const { workflowId, ...item } = await failedItem()
        return post(`/api/RetryItems/${workflowId}`, item)
      },
    },
    ReplayStart: {
      'workflow.replayed': async () => {
        const id = await deployed()
        await runToEnd(manager, id)
        return post(`/api/Replay/${id}`, {})
      },
    },
    WorkflowScheduler: {
      'schedule.enabled': async () => post('/api/WorkflowScheduler', schedule(await deployed(), true)),
      'schedule.disabled': async () => {
        const id = await deployed()
        await manager.post('/api/WorkflowScheduler', schedule(id, true))
        return post('/api/WorkflowScheduler', schedule(id, false))
      },
    },
    ExpectationsUpdate: {
      'expectations.changed': async () =>
        post(`/api/Expectations/${await idle()}`, { expectations: [{ kind: 'succeedsWithin', hours: 26 }] }),
    },
    ApprovalAction: {
      'approval.approved': async () => post(`/api/ApprovalAction/${await approval()}`, { action: 'approve' }),
      'approval.rejected': async () => post(`/api/ApprovalAction/${await approval()}`, { action: 'reject' }),
    },
    AlarmAction: {
      'alarm.acknowledged': async () => post(`/api/AlarmAction/${await alarm()}`, { action: 'acknowledge' }),
      'alarm.dismissed': async () => post(`/api/AlarmAction/${await alarm()}`, { action: 'dismiss' }),
    },
  }
}
