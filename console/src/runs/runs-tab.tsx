import { getRouteApi, Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useEffect } from 'react'
import { type Answer, type Body, sentenceOf, useOperation } from '../api.ts'
import type { Column, Sort } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { durationText, Time } from '../ui/time.tsx'
import { RetryRuns } from './retry-runs.tsx'
import { isUnderWay, StatusText } from './run-status.tsx'

type Run = Answer<'GetRunHistory'>['items'][number]
type HistoryBody = Body<'GetRunHistory'>
const route = getRouteApi('/workflows/$id')
const size = 50
const statuses = ['Ready', 'Error', 'Processing', 'Pending', 'Stopped']

/** The runs of a workflow. Structural, so that pages of other rooms can show it for any workflow. */
export function RunsTab({ workflow }: { workflow: { id: string; workflowState: string } }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: Record<string, unknown>) =>
    void navigate({
      search: (before) => ({ ...before, page: undefined, ...changes }),
      replace: true,
    })
  const page = (search.page ?? 1) - 1
  const sort: Sort = { by: search.sort ?? 'startDateTimeUTC', isAscending: search.ascending === true }
  const body: HistoryBody = {
    page,
    size,
    orderField: sort.by as NonNullable<HistoryBody['orderField']>,
    orderByAsc: sort.isAscending,
    ...rangeOf(search),
    ...(search.status ? { status: search.status as NonNullable<HistoryBody['status']> } : {}),
  }
  const found = useOperation(
    'GetRunHistory',
    { params: { workflowId: workflow.id }, body },
    {
      keepPrevious: true,
      refetchInterval: (data) => (data?.items.some(({ status }) => isUnderWay(status)) ? 1500 : 10_000),
    },
  )
  // Most people who look at runs open one.
  useEffect(() => void import('./run-page.tsx'), [])
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          label="Status"
          isLabelHidden
          className="w-44"
          value={search.status ?? ''}
          onChange={(event) => change({ status: event.target.value || undefined })}
          options={[
            { value: '', label: 'All statuses' },
            ...statuses.map((status) => ({ value: status, label: status })),
          ]}
        />
        {(['since', 'until'] as const).map((name) => (
          <TextField
            key={name}
            type="date"
            label={name === 'since' ? 'From' : 'To'}
            isLabelHidden
            className="w-38"
            value={search[name] ?? ''}
            onChange={(event) => change({ [name]: event.target.value || undefined })}
          />
        ))}
        {search.status === 'Error' && <RetryRuns workflowId={workflow.id} runs={found.data?.items ?? []} />}
      </div>
      <ListPanel
        label="Runs"
        columns={columnsFor(workflow.id)}
        rows={found.data?.items}
        keyOf={({ lockVersionNumber }) => String(lockVersionNumber)}
        sort={sort}
        onSort={(next) => change({ sort: next.by, ascending: next.isAscending || undefined })}
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
        empty={
          <Empty
            icon={History}
            title={search.status || search.since || search.until ? 'No run matches these filters.' : 'No runs yet'}
          >
            {workflow.workflowState === 'deployed'
              ? 'Press Run, or let a schedule or webhook start it.'
              : 'Deploy the workflow, then run it.'}
          </Empty>
        }
      />
    </>
  )
}

/** Whole days in the zone of the person who reads. */
function rangeOf({
  since,
  until,
}: {
  since?: string | undefined
  until?: string | undefined
}): Pick<HistoryBody, 'searchFrom' | 'searchTo'> {
  const startOf = (day: string, daysLater: number) => {
    const date = new Date(`${day}T00:00:00`)
    date.setDate(date.getDate() + daysLater)
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
  }
  const from = since && startOf(since, 0)
  const to = until && startOf(until, 1)
  return { ...(from ? { searchFrom: from } : {}), ...(to ? { searchTo: to } : {}) }
}

function columnsFor(workflowId: string): Column<Run>[] {
  return [
    {
      id: 'lockVersionNumber',
      label: 'Run',
      isSortable: true,
      width: '80px',
      cell: ({ lockVersionNumber }) => (
        <Link
          to="/workflows/$id/runs/$number"
          params={{ id: workflowId, number: String(lockVersionNumber) }}
          className="rounded-sm font-mono text-label font-semibold hover:text-accent hover:underline"
        >
          {lockVersionNumber}
        </Link>
      ),
    },
    {
      id: 'status',
      label: 'Status',
      isSortable: true,
      width: '120px',
      cell: ({ status }) => <StatusText status={status} />,
    },
    {
      id: 'startDateTimeUTC',
      label: 'Started',
      isSortable: true,
      width: '120px',
      cell: ({ startDateTimeUTC }) => <Time iso={startDateTimeUTC} />,
    },
    {
      id: 'durationInMilliSec',
      label: 'Duration',
      isSortable: true,
      width: '100px',
      hideBelow: 'phone',
      align: 'end',
      cell: ({ durationInMilliSec }) => (
        <span className="font-mono text-label">{durationText(durationInMilliSec)}</span>
      ),
    },
    {
      id: 'runBy',
      label: 'Started by',
      isSortable: true,
      width: '110px',
      hideBelow: 'phone',
      cell: ({ runBy, processorType }) => (processorType === 'Debug' ? `${runBy}, partial` : runBy),
    },
    {
      id: 'errorMessage',
      label: 'Error',
      hideBelow: 'phone',
      cell: ({ errorMessage, lastExecutedBlockTitle }) =>
        errorMessage && (
          <span className="block max-w-[60ch] truncate text-muted" title={errorMessage}>
            {lastExecutedBlockTitle && <span className="text-text">{lastExecutedBlockTitle}: </span>}
            {errorMessage}
          </span>
        ),
    },
  ]
}
