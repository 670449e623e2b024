// Requests that were turned away at the door: they are in neither queue nor history, and their sender has to do something.
import { ShieldX } from 'lucide-react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Time } from '../ui/time.tsx'
import { wayOut } from './refusal-words.ts'

type Refusal = Answer<'WebhookRefusals'>['items'][number]

const columns: readonly Column<Refusal>[] = [
  {
    id: 'reason',
    label: 'Reason',
    cell: (refusal) => (
      <span className="block py-1">
        <span className="block text-pretty">{refusal.reason}</span>
        <span className="block text-label text-pretty text-muted">{wayOut(refusal)}</span>
      </span>
    ),
  },
  {
    id: 'status',
    label: 'Answered',
    width: '88px',
    cell: ({ statusCode }) => <span className="font-mono">{statusCode}</span>,
  },
  {
    id: 'from',
    label: 'From',
    width: '140px',
    hideBelow: 'phone',
    cell: ({ ipAddress }) => (
      <span className="block truncate font-mono" title={ipAddress}>
        {ipAddress}
      </span>
    ),
  },
  {
    id: 'headers',
    label: 'Headers',
    width: '220px',
    hideBelow: 'desktop',
    cell: ({ headerNames }) => (
      <span className="block truncate font-mono text-label text-muted" title={headerNames.join('\n')}>
        {headerNames.join(', ')}
      </span>
    ),
  },
  {
    id: 'when',
    label: 'When',
    width: '104px',
    align: 'end',
    cell: ({ dateTimeUTC }) => (
      <span className="text-muted">
        <Time iso={dateTimeUTC} />
      </span>
    ),
  },
]

export function RefusedList({ workflowId }: { workflowId: string }) {
  const refused = useOperation(
    'WebhookRefusals',
    { params: { workflowId }, body: { page: 0, size: 10 } },
    { keepPrevious: true, refetchInterval: 10_000 },
  )
  const total = refused.data?.total ?? 0
  const shown = refused.data?.items.length ?? 0
  return (
    <>
      <ListPanel
        label="Refused"
        columns={columns}
        rows={refused.data?.items}
        keyOf={({ dateTimeUTC, ipAddress, reason }) => `${dateTimeUTC} ${ipAddress} ${reason}`}
        skeletonRows={4}
        empty={
          <Empty icon={ShieldX} title="No request was refused">
            Requests with a wrong secret or signature, from an address that is not allowed, too large or unreadable are
            listed here with the reason.
          </Empty>
        }
        query={refused}
        sentence={sentenceOf}
      />
      {total > shown && (
        <p className="mt-2 text-label text-muted">
          The newest {shown} of {total.toLocaleString('en')} refused requests. Their bodies are not kept.
        </p>
      )}
    </>
  )
}
