import { Link } from '@tanstack/react-router'
import { StatusText } from '../runs/run-status.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'
import { Countdown } from './countdown.tsx'
import type { InboxItem } from './inbox-item.ts'
import { RequestActions } from './request-actions.tsx'

function shortId(id: string): string {
  return `${id.slice(0, 8)}…${id.slice(-6)}`
}

export function inboxColumns(given: {
  workflowId: string
  isHistory: boolean
  /** A payload is open beside the list. */
  isNarrow: boolean
  chosenId: string | undefined
  onShow: (webhookId: string) => void
}): readonly Column<InboxItem>[] {
  const { workflowId, isHistory, isNarrow, chosenId, onShow } = given
  const columns: (Column<InboxItem> | false)[] = [
    {
      id: 'no',
      label: 'No.',
      width: '72px',
      cell: (item) => (
        <span className="flex items-center gap-1.5 tabular-nums">
          {item.no}
          {!isHistory && item.no === 1 && (
            <span className="rounded-sm bg-accent-soft px-1 text-label font-medium text-accent">next</span>
          )}
        </span>
      ),
    },
    {
      id: 'request',
      label: 'Request',
      cell: (item) => (
        <RequestCell item={item} isChosen={item.webhookId === chosenId} onShow={() => onShow(item.webhookId)} />
      ),
    },
    { id: 'status', label: 'State', width: '112px', cell: (item) => <StatusText status={item.status} /> },
    {
      id: 'accepted',
      label: 'Accepted',
      width: '104px',
      hideBelow: 'phone',
      cell: (item) => <Time iso={item.createDateTimeUTC} />,
    },
    !isNarrow && {
      id: 'tries',
      label: 'Errors',
      width: '64px',
      align: 'end',
      hideBelow: 'desktop',
      cell: (item) => item.errorCounter,
    },
    !isHistory && {
      id: 'next',
      label: 'Next try',
      width: '96px',
      hideBelow: 'phone',
      cell: (item) => <NextTry item={item} />,
    },
    isHistory &&
      !isNarrow && {
        id: 'left',
        label: 'Left the queue',
        width: '120px',
        hideBelow: 'desktop',
        cell: (item) => <Time iso={'deleteFromQueueDateTimeUTC' in item ? item.deleteFromQueueDateTimeUTC : null} />,
      },
    !isNarrow && {
      id: 'run',
      label: 'Run',
      width: '80px',
      hideBelow: 'phone',
      cell: ({ runNumber }) => <RunLink workflowId={workflowId} runNumber={runNumber} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      width: '170px',
      align: 'end',
      hideBelow: 'phone',
      cell: (item) => <RequestActions workflowId={workflowId} item={item} size="small" />,
    },
  ]
  return columns.filter((column) => column !== false)
}

function RequestCell({ item, isChosen, onShow }: { item: InboxItem; isChosen: boolean; onShow: () => void }) {
  return (
    <div className="min-w-0 py-1">
      <button
        type="button"
        aria-pressed={isChosen}
        title={item.webhookId}
        aria-label={`Show request ${shortId(item.webhookId)}`}
        onClick={onShow}
        className="block max-w-full truncate rounded-sm font-mono text-label font-medium hover:text-accent hover:underline aria-pressed:text-accent"
      >
        {shortId(item.webhookId)}
      </button>
      {item.errorMessage && (
        <span className="line-clamp-1 text-label text-red" title={item.errorMessage}>
          {item.errorMessage}
        </span>
      )}
    </div>
  )
}

function NextTry({ item }: { item: InboxItem }) {
  if (item.status === 'Processing') return <span className="text-muted">now</span>
  if (item.status === 'Pending' && item.no > 1) return <span className="text-muted">in turn</span>
  return <Countdown iso={item.nextScheduleDateTimeUTC} />
}

function RunLink({ workflowId, runNumber }: { workflowId: string; runNumber: number | null }) {
  if (runNumber === null) return <span className="text-faint">–</span>
  return (
    <Link
      to="/workflows/$id/runs/$number"
      params={{ id: workflowId, number: String(runNumber) }}
      className="rounded-sm font-medium hover:text-accent hover:underline"
    >
      {runNumber}
    </Link>
  )
}
