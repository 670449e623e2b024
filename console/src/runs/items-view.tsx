// The items of a block in one run: how many came to which end, and each with what it was given and returned.
import { useState } from 'react'
import { type Answer, type Body, sentenceOf, useOperation } from '../api.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { LogView } from '../ui/log-view.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'

type Items = Answer<'GetBlockItems'>
type Item = Items['items'][number]
type Status = NonNullable<Body<'GetBlockItems'>['status']>
type Place = { workflowId: string; runNumber: number; uniqueBlockId: string }

const size = 50
const statuses: readonly Status[] = ['failed', 'waiting', 'processing', 'pending', 'succeeded', 'skipped']
const tones: Partial<Record<Status, string>> = { failed: 'text-red', succeeded: 'text-green', waiting: 'text-amber' }

export function ItemsView({ isLive, ...place }: Place & { isLive: boolean }) {
  const { workflowId, ...block } = place
  const [status, setStatus] = useState<Status>()
  const [page, setPage] = useState(0)
  const [open, setOpen] = useState<string>()
  const found = useOperation(
    'GetBlockItems',
    { params: { workflowId }, body: { ...block, ...(status ? { status } : {}), page, size } },
    { keepPrevious: true, refetchInterval: isLive ? 1500 : false },
  )
  if (!found.data)
    return found.error ? (
      <p className="text-table text-muted">{sentenceOf(found.error)}</p>
    ) : (
      <SkeletonLines count={4} />
    )
  const { items, total, counts } = found.data
  return (
    <div className="flex flex-col gap-3">
      <search aria-label="Items by state" className="flex flex-wrap gap-2">
        {statuses
          .filter((one) => counts[one] > 0)
          .map((one) => (
            <FilterChip
              key={one}
              label={`${counts[one].toLocaleString('en')} ${one}`}
              isOn={status === one}
              onChange={(isOn) => {
                setStatus(isOn ? one : undefined)
                setPage(0)
              }}
            />
          ))}
      </search>
      <DataTable label="Items" rows={items} keyOf={({ key }) => key} columns={columnsOf(open, setOpen)} />
      <Pagination page={page} size={size} total={total} onPage={setPage} />
      {open !== undefined && <ItemDetail key={open} place={place} itemKey={open} />}
    </div>
  )
}

function columnsOf(open: string | undefined, setOpen: (key: string | undefined) => void): Column<Item>[] {
  return [
    {
      id: 'key',
      label: 'Item',
      width: '120px',
      cell: ({ key }) => (
        <button
          type="button"
          aria-expanded={open === key}
          title={key}
          onClick={() => setOpen(open === key ? undefined : key)}
          className="block max-w-full truncate font-mono font-medium hover:text-accent hover:underline"
        >
          {key}
        </button>
      ),
    },
    {
      id: 'status',
      label: 'State',
      width: '96px',
      cell: ({ status }) => <span className={tones[status] ?? 'text-muted'}>{status}</span>,
    },
    {
      id: 'error',
      label: 'Error',
      cell: ({ errorMessage }) => (
        <span className="block truncate" title={errorMessage ?? undefined}>
          {errorMessage ?? <span className="text-faint">–</span>}
        </span>
      ),
    },
    {
      id: 'tries',
      label: 'Tries',
      width: '64px',
      align: 'end',
      hideBelow: 'phone',
      cell: ({ tries }) => <span className="tabular-nums">{tries}</span>,
    },
  ]
}

function ItemDetail({ place, itemKey }: { place: Place; itemKey: string }) {
  const { workflowId, ...block } = place
  const found = useOperation('GetBlockItem', { params: { workflowId }, query: { ...block, itemKey } })
  const log = useOperation('GetBlockUserLog', { params: { workflowId }, query: { ...block, itemKey } })
  if (!found.data)
    return found.error ? (
      <p className="text-table text-muted">{sentenceOf(found.error)}</p>
    ) : (
      <SkeletonLines count={3} />
    )
  const { item, result, errorMessage } = found.data
  const lines = log.data?.result ?? []
  return (
    <section aria-label={`Item ${itemKey}`} className="grid gap-4 border-t border-line pt-3 lg:grid-cols-2">
      <div className="min-w-0">
        <p className="text-label font-medium">Item</p>
        <JsonTree value={item} label={`item ${itemKey}`} />
      </div>
      <div className="min-w-0">
        <p className="text-label font-medium">{errorMessage === null ? 'Result' : 'Error'}</p>
        {errorMessage === null ? (
          <JsonTree value={result} label={`result of ${itemKey}`} />
        ) : (
          <p className="font-mono text-label whitespace-pre-wrap text-red [overflow-wrap:anywhere]">{errorMessage}</p>
        )}
      </div>
      {lines.length > 0 && (
        <div className="min-w-0 lg:col-span-2">
          <LogView lines={lines} label={`Log of ${itemKey}`} maxHeight="30dvh" />
        </div>
      )}
    </section>
  )
}
