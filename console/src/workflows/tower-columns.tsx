// Workflows of every customer in one table: whose, made from what, in which state, and what is wrong.
import { Link } from '@tanstack/react-router'
import { useOperation } from '../api.ts'
import { WorkflowState, type WorkflowSummary } from '../definition/workflow-state.tsx'
import { StatusText } from '../runs/run-status.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'

/** `ownId`: links to the reader's own workflows stay in their own account. */
export function towerColumns(ownId: string | undefined): readonly Column<WorkflowSummary>[] {
  const scope: Scope = ({ accountId }) => (accountId === ownId || accountId === undefined ? {} : { as: accountId })
  return [...whose(ownId, scope), state, ...trouble(scope)]
}

type Scope = (workflow: WorkflowSummary) => { as?: string }

function whose(ownId: string | undefined, scope: Scope): Column<WorkflowSummary>[] {
  return [
    {
      id: 'accountName',
      label: 'Customer',
      width: '190px',
      hideBelow: 'phone',
      isSortable: true,
      cell: (workflow) => <Customer workflow={workflow} isOwn={workflow.accountId === ownId} />,
    },
    {
      id: 'name',
      label: 'Workflow',
      isSortable: true,
      cell: (workflow) => (
        <span className="block min-w-0">
          <Link
            to="/workflows/$id"
            params={{ id: workflow.id }}
            search={scope(workflow)}
            className="block truncate font-medium hover:text-accent hover:underline"
            title={workflow.description || workflow.name}
          >
            {workflow.name}
          </Link>
          <span className="block truncate text-label text-muted sm:hidden">{workflow.accountName}</span>
        </span>
      ),
    },
    {
      id: 'workflowTemplateId',
      label: 'Template',
      width: '176px',
      hideBelow: 'desktop',
      isSortable: true,
      cell: (workflow) => <Template workflow={workflow} />,
    },
  ]
}

const state: Column<WorkflowSummary> = {
  id: 'workflowState',
  label: 'State',
  width: '176px',
  hideBelow: 'desktop',
  isSortable: true,
  cell: (workflow) => <WorkflowState {...workflow} />,
}

function trouble(scope: Scope): Column<WorkflowSummary>[] {
  return [
    {
      id: 'lastRunStatus',
      label: 'Last run',
      width: '104px',
      isSortable: true,
      cell: (workflow) =>
        workflow.lastRunNumber === null || workflow.lastRunStatus === null ? (
          <span className="text-faint">Never</span>
        ) : (
          <Link
            to="/workflows/$id/runs/$number"
            params={{ id: workflow.id, number: String(workflow.lastRunNumber) }}
            search={scope(workflow)}
            className="rounded-sm hover:underline"
          >
            <StatusText status={workflow.lastRunStatus} />
          </Link>
        ),
    },
    {
      id: 'failingSinceDateTimeUTC',
      label: 'Failing since',
      width: '116px',
      hideBelow: 'phone',
      isSortable: true,
      cell: ({ failingSinceDateTimeUTC: since }) =>
        since ? (
          <span className="text-red">
            <Time iso={since} />
          </span>
        ) : (
          <span className="text-faint">–</span>
        ),
    },
    {
      id: 'queued',
      label: 'Queue',
      width: '72px',
      hideBelow: 'phone',
      align: 'end',
      isSortable: true,
      cell: (workflow) => (
        <Count
          workflow={workflow}
          count={workflow.queued ?? 0}
          search={{ tab: 'webhook', ...scope(workflow) }}
          tone="text-amber"
        />
      ),
    },
    {
      id: 'failedItems',
      label: 'Failed items',
      width: '104px',
      hideBelow: 'desktop',
      align: 'end',
      isSortable: true,
      cell: (workflow) =>
        !workflow.failedItems ? (
          <span className="text-faint">0</span>
        ) : (
          <Link
            to="/failed-items"
            search={{ workflow: workflow.id, ...scope(workflow) }}
            className="rounded-sm font-semibold text-red tabular-nums hover:underline"
          >
            {workflow.failedItems.toLocaleString('en')}
          </Link>
        ),
    },
  ]
}

function Customer({ workflow, isOwn }: { workflow: WorkflowSummary; isOwn: boolean }) {
  return (
    <span className="block min-w-0 leading-4" title={`${workflow.accountName} · ${workflow.accountEmail}`}>
      <span className="block truncate">{isOwn ? 'You' : workflow.accountName}</span>
      {workflow.accountName !== workflow.accountEmail && (
        <span className="block truncate text-label text-muted">{workflow.accountEmail}</span>
      )}
    </span>
  )
}

function Template({ workflow }: { workflow: WorkflowSummary }) {
  const templates = useOperation('WorkflowTemplates', { query: {} }, { staleTime: 60_000 })
  const { workflowTemplateId: id, templateVersion: version } = workflow
  if (id === null) return <span className="text-faint">Custom</span>
  const name = templates.data?.find((template) => template.id === id)?.name
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <Link
        to="/workflows"
        search={{ all: true, template: id }}
        title={name ?? 'A template that is no longer in the catalogue'}
        className="min-w-0 truncate text-muted hover:text-text hover:underline"
      >
        {name ?? (templates.data ? 'Removed template' : '…')}
      </Link>
      {version !== null && (
        <Link
          to="/workflows"
          search={{ all: true, template: id, version }}
          className="shrink-0 rounded-sm bg-raised px-1.5 font-mono text-label text-muted hover:text-text"
        >
          {version}
        </Link>
      )}
    </span>
  )
}

function Count({
  workflow,
  count,
  search,
  tone,
}: {
  workflow: WorkflowSummary
  count: number
  search: object
  tone: string
}) {
  if (count === 0) return <span className="text-faint">0</span>
  return (
    <Link
      to="/workflows/$id"
      params={{ id: workflow.id }}
      search={search}
      className={`rounded-sm font-semibold tabular-nums hover:underline ${tone}`}
    >
      {count.toLocaleString('en')}
    </Link>
  )
}
