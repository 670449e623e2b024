import { Link } from '@tanstack/react-router'
import { CalendarClock, Webhook } from 'lucide-react'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { WorkflowState, type WorkflowSummary } from '../definition/workflow-state.tsx'
import { RunSpark } from '../runs/run-spark.tsx'
import { StatusText } from '../runs/run-status.tsx'
import { scheduleWords } from '../schedules/schedule-words.ts'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'

export const workflowColumns: readonly Column<WorkflowSummary>[] = [
  {
    id: 'name',
    label: 'Name',
    isSortable: true,
    cell: (workflow) => (
      <div className="flex min-w-0 items-center gap-2">
        <Link
          to="/workflows/$id"
          params={{ id: workflow.id }}
          className="truncate font-medium hover:text-accent hover:underline"
          title={workflow.description || workflow.name}
        >
          {workflow.name}
        </Link>
        {workflow.tags.map((tag) => (
          <Link
            key={tag}
            to="/workflows"
            search={{ tag }}
            className="rounded-sm bg-raised px-1.5 text-label text-muted hover:text-text max-sm:hidden"
          >
            {tag}
          </Link>
        ))}
      </div>
    ),
  },
  {
    id: 'workflowState',
    label: 'State',
    isSortable: true,
    width: '190px',
    hideBelow: 'phone',
    cell: (workflow) => <WorkflowState {...workflow} />,
  },
  {
    id: 'applications',
    label: 'Applications',
    width: '120px',
    hideBelow: 'desktop',
    cell: (workflow) => (
      <span className="flex gap-1">
        {Object.keys(workflow.applications).map((shortName) => (
          <ApplicationLogo key={shortName} shortName={shortName} isAlone />
        ))}
      </span>
    ),
  },
  {
    id: 'trigger',
    label: 'Starts',
    width: '200px',
    hideBelow: 'desktop',
    cell: (workflow) => <Triggers workflow={workflow} />,
  },
  {
    id: 'runs',
    label: 'Last runs',
    width: '128px',
    hideBelow: 'desktop',
    cell: (workflow) => <RunSpark workflowId={workflow.id} lastRunNumber={workflow.lastRunNumber} />,
  },
  {
    id: 'lastRunStatus',
    label: 'Last run',
    isSortable: true,
    width: '120px',
    cell: (workflow) =>
      workflow.lastRunNumber !== null && workflow.lastRunStatus !== null ? (
        <Link
          to="/workflows/$id/runs/$number"
          params={{ id: workflow.id, number: String(workflow.lastRunNumber) }}
          className="rounded-sm hover:underline"
        >
          <StatusText status={workflow.lastRunStatus} />
        </Link>
      ) : (
        <span className="text-faint">Never</span>
      ),
  },
  {
    id: 'modifyDateTimeUTC',
    label: 'Changed',
    isSortable: true,
    width: '104px',
    hideBelow: 'desktop',
    align: 'end',
    cell: (workflow) => (
      <span className="text-muted">
        <Time iso={workflow.modifyDateTimeUTC} />
      </span>
    ),
  },
]

function Triggers({ workflow }: { workflow: WorkflowSummary }) {
  if (!workflow.isScheduled && !workflow.isWebhookActive) return <span className="text-faint">By hand</span>
  return (
    <span className="flex min-w-0 items-center gap-3 text-muted">
      {workflow.isScheduled && workflow.scheduleFrequency && (
        <span className="flex min-w-0 items-center gap-1.5" title={workflow.scheduleFrequency}>
          <CalendarClock size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
          <span className="truncate">{scheduleWords(workflow.scheduleFrequency)}</span>
        </span>
      )}
      {workflow.isWebhookActive && (
        <span className="flex items-center gap-1.5">
          <Webhook size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
          Webhook
        </span>
      )}
    </span>
  )
}
