import { Link } from '@tanstack/react-router'
import { ArrowUpCircle } from 'lucide-react'
import { useState } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { Panel } from '../ui/panel.tsx'
import { OutcomeChip, outcomeLooks, type Upgrade, type UpgradeItem, type UpgradeOutcome } from './outcome.tsx'

const size = 100

/** What became of each workflow, and why. */
export function UpgradeItems({ upgrade }: { upgrade: Upgrade }) {
  const [outcome, setOutcome] = useState<UpgradeOutcome | ''>('')
  const [page, setPage] = useState(0)
  const shown = upgrade.items.filter((item) => outcome === '' || item.outcome === outcome)
  const present = (Object.keys(upgrade.counts) as UpgradeOutcome[]).filter((one) => upgrade.counts[one] > 0)
  return (
    <>
      <div className="mb-3">
        <Select
          label="Outcome"
          isLabelHidden
          className="w-52"
          value={outcome}
          onChange={({ target }) => {
            setOutcome(target.value as UpgradeOutcome | '')
            setPage(0)
          }}
          options={[
            { value: '', label: `All workflows (${upgrade.items.length.toLocaleString('en')})` },
            ...present.map((one) => ({ value: one, label: `${outcomeLooks[one].word} (${upgrade.counts[one]})` })),
          ]}
        />
      </div>
      <Panel>
        <DataTable
          label="Workflows of the upgrade"
          columns={columns}
          rows={shown.slice(page * size, (page + 1) * size)}
          keyOf={({ workflowId }) => workflowId}
          empty={
            outcome === '' ? (
              <Empty icon={ArrowUpCircle} title="No workflow needed the upgrade." />
            ) : (
              <Empty
                icon={ArrowUpCircle}
                title={`No workflows with the outcome "${outcomeLooks[outcome].word}" any more.`}
              />
            )
          }
        />
        <Pagination page={page} size={size} total={shown.length} onPage={setPage} />
      </Panel>
    </>
  )
}

const columns: readonly Column<UpgradeItem>[] = [
  {
    id: 'customer',
    label: 'Customer',
    cell: (item) => (
      <span className="block [overflow-wrap:anywhere]">
        {item.accountEmail ?? <span className="text-faint">Account removed</span>}
        <span className="block text-label text-muted sm:hidden">{item.message}</span>
      </span>
    ),
  },
  {
    id: 'workflow',
    label: 'Workflow',
    hideBelow: 'phone',
    cell: (item) =>
      item.name === null ? (
        <span className="text-faint">Deleted</span>
      ) : (
        <Link
          to="/workflows/$id"
          params={{ id: item.workflowId }}
          search={{ as: item.accountId }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {item.name}
        </Link>
      ),
  },
  { id: 'wave', label: 'Wave', width: '70px', align: 'end', hideBelow: 'phone', cell: ({ wave }) => wave },
  { id: 'outcome', label: 'Outcome', width: '130px', cell: ({ outcome }) => <OutcomeChip outcome={outcome} /> },
  {
    id: 'revisions',
    label: 'Revision',
    width: '110px',
    hideBelow: 'desktop',
    cell: (item) =>
      item.revisionAfter === null ? (
        <span className="text-faint">–</span>
      ) : (
        <Link
          to="/workflows/$id"
          params={{ id: item.workflowId }}
          search={{
            as: item.accountId,
            tab: 'revisions',
            from: item.revisionBefore ?? undefined,
            to: item.revisionAfter,
          }}
          title="Compare"
          className="font-mono text-label text-accent hover:underline"
        >
          {item.revisionBefore} → {item.revisionAfter}
        </Link>
      ),
  },
  {
    id: 'message',
    label: 'Message',
    hideBelow: 'phone',
    cell: ({ message }) => <span className="text-muted [overflow-wrap:anywhere]">{message}</span>,
  },
]
