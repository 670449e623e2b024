// Runs that wait for a person's word.
import { getRouteApi, Link } from '@tanstack/react-router'
import { Stamp } from 'lucide-react'
import { useState } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { useReachesOthers } from '../session/reach.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { DecideDialog } from './decide-dialog.tsx'

const route = getRouteApi('/approvals')
const size = 50
type Approval = Answer<'Approvals'>['items'][number]

export function ApprovalsPage() {
  const filters = route.useSearch()
  const change = useFilterChange<typeof filters>(route.useNavigate())
  const reachesOthers = useReachesOthers()
  const ownId = useStore(session)?.myAccount.id
  const [asked, setAsked] = useState<{ approval: Approval; action: 'approve' | 'reject' }>()
  const page = (filters.page ?? 1) - 1
  const isAcross = reachesOthers && filters.all === true
  const found = useOperation(
    'Approvals',
    { body: { page, size, isOpen: !filters.closed, ...(isAcross ? { acrossAccounts: true } : {}) } },
    { keepPrevious: true, refetchInterval: 15_000 },
  )
  return (
    <Page title="Approvals" lead="Runs that go on when a person approves, and end or branch when one rejects.">
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        {reachesOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined })}
          />
        )}
        <FilterChip label="Open" isOn={!filters.closed} onChange={() => change({ closed: undefined })} />
        <FilterChip label="Decided" isOn={filters.closed === true} onChange={() => change({ closed: true })} />
      </search>
      <ListPanel
        label="Approvals"
        columns={[
          ...whatIsAsked(ownId),
          filters.closed ? decided : buttons((approval, action) => setAsked({ approval, action })),
        ]}
        rows={found.data?.items}
        keyOf={({ id }) => id}
        skeletonRows={4}
        empty={
          <Empty icon={Stamp} title={filters.closed ? 'Nothing was decided yet' : 'Nothing waits for approval'}>
            A block with an approval asks people by e-mail. Its run waits here meanwhile, without holding anything.
          </Empty>
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
      {asked && <DecideDialog {...asked} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}

function whatIsAsked(ownId: string | undefined): Column<Approval>[] {
  const scopeOf = ({ accountId }: Approval) => (accountId === ownId ? {} : { as: accountId })
  return [
    {
      id: 'title',
      label: 'Title',
      cell: (approval) => (
        <span className="block min-w-0 leading-4">
          <span className="block truncate font-medium" title={approval.message ?? approval.title}>
            {approval.title}
          </span>
          <span className="block truncate text-label text-muted">{approval.message}</span>
        </span>
      ),
    },
    {
      id: 'run',
      label: 'Run',
      width: '220px',
      hideBelow: 'phone',
      cell: (approval) => (
        <Link
          to="/workflows/$id/runs/$number"
          params={{ id: approval.workflowId, number: String(approval.runNumber) }}
          search={{ block: approval.uniqueBlockId, ...scopeOf(approval) }}
          className="block truncate hover:text-accent hover:underline"
        >
          {approval.workflowName}, run {approval.runNumber}
        </Link>
      ),
    },
    {
      id: 'to',
      label: 'Asked',
      width: '200px',
      hideBelow: 'desktop',
      cell: ({ to }) => (
        <span className="block truncate text-muted" title={to.join('\n')}>
          {to.join(', ')}
        </span>
      ),
    },
    {
      id: 'since',
      label: 'Since',
      width: '104px',
      hideBelow: 'phone',
      cell: ({ createDateTimeUTC }) => <Time iso={createDateTimeUTC} />,
    },
    {
      id: 'until',
      label: 'Until',
      width: '104px',
      hideBelow: 'desktop',
      cell: ({ timeoutDateTimeUTC }) => <Time iso={timeoutDateTimeUTC} />,
    },
  ]
}

function buttons(onDecide: (approval: Approval, action: 'approve' | 'reject') => void): Column<Approval> {
  return {
    id: 'decide',
    label: 'Decide',
    isLabelHidden: true,
    width: '164px',
    align: 'end',
    cell: (approval) => (
      <span className="flex justify-end gap-2">
        <Button size="small" onClick={() => onDecide(approval, 'reject')}>
          Reject
        </Button>
        <Button size="small" tone="primary" onClick={() => onDecide(approval, 'approve')}>
          Approve
        </Button>
      </span>
    ),
  }
}

const outcomes: Record<string, { tone: ChipTone; shape: ChipShape; word: string }> = {
  approved: { tone: 'green', shape: 'check', word: 'Approved' },
  rejected: { tone: 'red', shape: 'cross', word: 'Rejected' },
  timedOut: { tone: 'amber', shape: 'bars', word: 'Timed out' },
  resumed: { tone: 'grey', shape: 'dot', word: 'Resumed' },
  stopped: { tone: 'grey', shape: 'square', word: 'Stopped' },
}

const decided: Column<Approval> = {
  id: 'outcome',
  label: 'Outcome',
  width: '164px',
  cell: ({ outcome, decisions }) => {
    const look = outcomes[outcome ?? ''] ?? { tone: 'grey', shape: 'ring', word: 'Open' }
    const last = decisions.at(-1)
    return (
      <span className="block min-w-0 leading-4" title={last?.comment ?? undefined}>
        <StateText {...look}>{look.word}</StateText>
        {last && <span className="block truncate text-label text-muted">{last.by}</span>}
      </span>
    )
  },
}
