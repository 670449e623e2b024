// Why does nothing happen? One line under the title of a workflow that is not simply fine: what holds it, since when, and the way out.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Answer, useOperation } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { counted } from '../ui/counted.ts'
import { Time } from '../ui/time.tsx'

type Incident = Answer<'Incidents'>['items'][number]
const dayMs = 86_400_000
const quietMs = 30_000

/** Of several troubles the one that must be seen to first. */
const order: readonly Incident['kind'][] = [
  'storage.full',
  'accountInactive',
  'connection.faulted',
  'workflow.paused',
  'webhook.waiting',
  'workflow.failing',
  'webhook.givenUp',
]
const ofAccount: readonly Incident['kind'][] = ['storage.full', 'accountInactive']

export function WorkflowTrouble({ workflow }: { workflow: WorkflowDetail }) {
  const isDeployed = workflow.workflowState === 'deployed'
  const incidents = useOperation(
    'Incidents',
    { body: { page: 0, size: 100 } },
    { enabled: isDeployed, refetchInterval: quietMs },
  )
  const settings = useOperation(
    'WebhookSettings',
    { params: { id: workflow.id } },
    { enabled: isDeployed && workflow.isWebhookActive },
  )
  if (!isDeployed) return null
  const hits = (incidents.data?.items ?? [])
    .filter(
      ({ kind, workflows }) => ofAccount.includes(kind) || workflows.some((hit) => hit.workflowId === workflow.id),
    )
    .filter(({ kind }) => order.includes(kind))
    .sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
  const [first] = hits
  if (!first && settings.data?.isHeld !== true) return null
  return (
    <p role="note" className="text-table text-amber">
      {first ? (
        <Reason incident={first} workflow={workflow} />
      ) : (
        <>
          The webhook queue is held: requests wait until somebody releases it.{' '}
          <To workflow={workflow} tab="webhook">
            Open the queue
          </To>
        </>
      )}
    </p>
  )
}

function Reason({ incident, workflow }: { incident: Incident; workflow: WorkflowDetail }): ReactNode {
  const since = (
    <>
      {' '}
      (<Time iso={incident.sinceDateTimeUTC} />)
    </>
  )
  switch (incident.kind) {
    case 'connection.faulted':
      return (
        <>
          Automatic runs wait because the connection {incident.title} is faulted{since}: {incident.message}{' '}
          <Link
            to="/connections"
            search={{ id: incident.regApplicationId ?? '' }}
            className="font-medium underline underline-offset-2"
          >
            Reconnect
          </Link>
        </>
      )
    case 'workflow.paused':
      return (
        <>
          {incident.message}
          {since}
          {workflow.nextRunDateTimeUTC ? (
            <>
              {' '}
              Next try <Time iso={workflow.nextRunDateTimeUTC} />.
            </>
          ) : (
            ' Nothing runs by itself until it is resumed.'
          )}
        </>
      )
    case 'webhook.waiting':
      return (
        <>
          {incident.message}
          {since}{' '}
          <To workflow={workflow} tab="webhook">
            Open the queue
          </To>
        </>
      )
    case 'webhook.givenUp':
      return (
        <>
          {incident.message}
          {since}{' '}
          <To workflow={workflow} tab="webhook">
            Open the history
          </To>
        </>
      )
    case 'workflow.failing':
      return (
        <>
          Its runs fail{since}: {incident.message}{' '}
          <To workflow={workflow} tab="runs">
            Show runs
          </To>
        </>
      )
    default:
      return incident.message
  }
}

function To({ workflow, tab, children }: { workflow: WorkflowDetail; tab: string; children: ReactNode }) {
  return (
    <Link
      to="/workflows/$id"
      params={{ id: workflow.id }}
      search={{ tab }}
      className="font-medium underline underline-offset-2"
    >
      {children}
    </Link>
  )
}

/** By tab: what waits or failed there. Left out where there is nothing. */
export function useTabCounts(workflow: WorkflowDetail): { readonly [tab: string]: string | undefined } {
  const { id: workflowId, isWebhookActive, lastRunNumber } = workflow
  const one = { page: 0, size: 1 }
  const queue = useOperation(
    'GetWebhookQueue',
    { params: { workflowId }, body: one },
    { enabled: isWebhookActive, refetchInterval: quietMs },
  )
  // The beginning of the hour keeps the question, and so its answer in the cache, the same.
  const searchFrom = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - dayMs).toISOString()
  const failed = useOperation(
    'GetRunHistory',
    { params: { workflowId }, body: { ...one, status: 'Error', searchFrom } },
    { enabled: lastRunNumber !== null, refetchInterval: quietMs },
  )
  const queued = queue.data?.length ?? 0
  const errors = failed.data?.total ?? 0
  return {
    webhook: queued > 0 ? queued.toLocaleString('en') : undefined,
    runs: errors > 0 ? `${errors.toLocaleString('en')} failed` : undefined,
  }
}

/** Items that failed and wait for somebody. */
export function FailedItemsLink({ workflowId }: { workflowId: string }) {
  const found = useOperation('FailedItems', { body: { workflowId, page: 0, size: 1 } }, { refetchInterval: quietMs })
  const total = found.data?.total ?? 0
  if (total === 0) return null
  return (
    <Link
      to="/failed-items"
      search={{ workflow: workflowId }}
      className="text-table font-medium text-red hover:underline"
    >
      {counted(total, 'failed item')}
    </Link>
  )
}
