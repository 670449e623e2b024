// Who changed what, newest first. Entries are chained: one that is changed or taken away later is found by `verify-audit`.
import { getRouteApi } from '@tanstack/react-router'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { Copy } from '../ui/copy.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { Panel } from '../ui/panel.tsx'
import { Time } from '../ui/time.tsx'
import { actionWords } from './action-words.ts'

const route = getRouteApi('/audit')
const size = 50
type Entry = Answer<'GetAuditLog'>['items'][number]

export function AuditPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const page = (filters.page ?? 1) - 1
  const change = (changes: Partial<typeof filters>) =>
    void navigate({ search: (before: object) => ({ ...before, page: undefined, ...changes }) as never, replace: true })
  const log = useOperation(
    'GetAuditLog',
    {
      body: {
        page,
        size,
        ...(filters.from ? { searchFrom: new Date(`${filters.from}T00:00:00`).toISOString() } : {}),
        ...(filters.to ? { searchTo: endOfDay(filters.to) } : {}),
      },
    },
    { keepPrevious: true },
  )
  const emails = useEmails()
  return (
    <Page
      title="Audit"
      lead="Who changed what. Each entry holds the hash of the one before it, so nothing can be changed or removed unnoticed."
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-end gap-2">
        <TextField
          label="From"
          type="date"
          className="w-40"
          value={filters.from ?? ''}
          onChange={(event) => change({ from: event.target.value } as Partial<typeof filters>)}
        />
        <TextField
          label="To"
          type="date"
          className="w-40"
          value={filters.to ?? ''}
          onChange={(event) => change({ to: event.target.value } as Partial<typeof filters>)}
        />
      </search>
      {log.error && !log.data ? (
        <Notice kind="error">{sentenceOf(log.error)}</Notice>
      ) : (
        <Panel>
          <DataTable
            label="Audit"
            columns={columnsWith(emails)}
            rows={log.data?.items}
            keyOf={(entry) => String(entry.id)}
            isRefreshing={log.isPlaceholderData}
            empty={<Empty icon={ScrollText} title="Nothing was changed in this time." />}
          />
          <Pagination page={page} size={size} total={log.data?.total} onPage={(next) => change({ page: next + 1 })} />
        </Panel>
      )}
    </Page>
  )
}

function endOfDay(day: string): string {
  const end = new Date(`${day}T00:00:00`)
  end.setDate(end.getDate() + 1)
  return end.toISOString()
}

/** Accounts that one may act for, by id; others stay ids. */
function useEmails(): ReadonlyMap<string, string> {
  const accounts = useOperation('ManagedAccounts', { body: { size: 1000 } }, { staleTime: 60_000 })
  return new Map(accounts.data?.accounts.map((account) => [account.id, account.email]))
}

function columnsWith(emails: ReadonlyMap<string, string>): readonly Column<Entry>[] {
  return [
    { id: 'when', label: 'When', width: '112px', cell: (entry) => <Time iso={entry.dateTimeUTC} /> },
    { id: 'who', label: 'Who', width: '240px', cell: (entry) => <Who entry={entry} emails={emails} /> },
    {
      id: 'action',
      label: 'Action',
      cell: (entry) => (
        <span title={entry.action}>
          <span className="font-medium">{actionWords(entry.action)}</span>
          <Details details={entry.details} />
        </span>
      ),
    },
    {
      id: 'target',
      label: 'Target',
      width: '220px',
      hideBelow: 'desktop',
      cell: (entry) =>
        entry.target === null ? (
          <span className="text-faint">–</span>
        ) : (
          <Copy text={emails.get(entry.target) ?? entry.target} />
        ),
    },
    {
      id: 'from',
      label: 'From',
      width: '140px',
      hideBelow: 'desktop',
      cell: (entry) => <span className="font-mono text-label text-muted">{entry.address ?? '–'}</span>,
    },
    {
      id: 'hash',
      label: 'Hash',
      width: '110px',
      hideBelow: 'desktop',
      cell: (entry) =>
        entry.hash === null ? (
          <span className="text-label text-faint">in a moment</span>
        ) : (
          <span className="inline-flex items-center gap-1 font-mono text-label text-muted" title={entry.hash}>
            <ShieldCheck size={13} aria-hidden className="text-green" />
            {entry.hash.slice(0, 8)}
          </span>
        ),
    },
  ]
}

function Who({ entry, emails }: { entry: Entry; emails: ReadonlyMap<string, string> }) {
  const nameOf = (id: string) => emails.get(id) ?? id
  if (entry.accountId === null) return <span className="text-muted">Patchbay</span>
  return (
    <span className="block min-w-0 py-1">
      <span className="block truncate">{nameOf(entry.accountId)}</span>
      {entry.managedAccountId !== null && (
        <span className="block truncate text-label text-amber">for {nameOf(entry.managedAccountId)}</span>
      )}
    </span>
  )
}

/** Small facts in one line; what is larger opens. */
function Details({ details }: { details: unknown }) {
  if (details === null || typeof details !== 'object' || Object.keys(details).length === 0) return null
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')
  return (
    <span
      className="ml-2 inline-block max-w-[36ch] truncate align-bottom font-mono text-label text-muted max-sm:hidden"
      title={text}
    >
      {text}
    </span>
  )
}
