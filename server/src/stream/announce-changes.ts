// Operations that change a workflow are told to streams once they have succeeded. One table, so that no feature needs to know of streams.
import type { Principal } from '../access/index.ts'
import type { Handlers } from '../http/index.ts'
import type { Announce } from './stream-event.ts'

type LooseCall = {
  principal?: Principal
  params?: Record<string, unknown>
  body?: Record<string, unknown>
}
type LooseHandler = (call: LooseCall) => unknown

const ofPath = ({ params }: LooseCall) => params?.['id'] ?? params?.['workflowId']
/** How each operation names the workflow it changed, or the workflows. */
const changes: Record<string, (call: LooseCall, answer: unknown) => unknown> = {
  WorkflowCreate: (_call, answer) => answer,
  WorkflowUpdate: ofPath,
  PushWorkflows: (_call, answer) => (answer as { id: string }[]).map(({ id }) => id),
  RestoreRevision: ofPath,
  DeployWorkflow: ofPath,
  ArchiveWorkflow: ofPath,
  DeleteWorkflow: ofPath,
  ResumeWorkflow: ofPath,
  WorkflowScheduler: ({ body }) => body?.['workflowId'],
  WebhookSettingsEnable: ofPath,
  WebhookSettingsDisable: ofPath,
  ExpectationsUpdate: ofPath,
}
/** Operations after which a queue is another. A request names no workflow: then the account is told. */
const queues: Record<string, (call: LooseCall) => unknown> = {
  WebhookSkip: () => null,
  WebhookRetry: () => null,
  WebhookQueueHold: ofPath,
  WebhookQueueRelease: ofPath,
  WebhookReplay: ofPath,
}

export function announceChanges(announce: Announce, handlers: Handlers): Handlers {
  const wrapped: Record<string, LooseHandler> = { ...(handlers as unknown as Record<string, LooseHandler>) }
  const wrap = (name: string, tell: (call: LooseCall, answer: unknown) => void) => {
    const handle = wrapped[name]
    if (!handle) return
    wrapped[name] = async (call) => {
      const answer = await handle(call)
      tell(call, answer)
      return answer
    }
  }
  for (const [name, workflowOf] of Object.entries(changes))
    wrap(name, (call, answer) => {
      const accountId = call.principal?.account.id
      if (accountId === undefined) return
      for (const workflowId of [workflowOf(call, answer)].flat()) {
        if (typeof workflowId !== 'string') continue
        announce({
          type: 'workflow.changed',
          accountId,
          workflowId: workflowId.toLowerCase(),
          data: { operation: name },
        })
      }
    })
  for (const [name, workflowOf] of Object.entries(queues))
    wrap(name, (call) => {
      const accountId = call.principal?.account.id
      const workflowId = workflowOf(call)
      if (accountId === undefined) return
      const id = typeof workflowId === 'string' ? workflowId.toLowerCase() : null
      announce({ type: 'queue.changed', accountId, workflowId: id, data: {} })
    })
  return wrapped as unknown as Handlers
}
