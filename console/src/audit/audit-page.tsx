// Who changed what, newest first. Entries are chained: one that is changed or taken away later is found by `verify-audit`.
import { getRouteApi } from '@tanstack/react-router'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { useAccountEmails } from '../accounts/account-emails.ts'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { Copy } from '../ui/copy.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { TextField } from '../ui/field.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { actionWords } from './action-words.ts'

const route = getRouteApi('/audit')
const size = 50
type Entry = Answer<'GetAuditLog'>['items'][number]

export function AuditPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const page = (filters.page ?? 1) - 1
  const change = useFilterChange<typeof filters>(navigate)
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
  const emails = useAccountEmails()
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
          onChange={(event) => change({ from: event.target.value })}
        />
        <TextField
          label="To"
          type="date"
          className="w-40"
          value={filters.to ?? ''}
          onChange={(event) => change({ to: event.target.value })}
        />
      </search>
      <ListPanel
        label="Audit"
        columns={columnsWith(emails)}
        rows={log.data?.items}
        keyOf={(entry) => String(entry.id)}
        empty={<Empty icon={ScrollText} title="No changes in this period." />}
        query={log}
        sentence={sentenceOf}
        paging={{ page, size, total: log.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
    </Page>
  )
}

function endOfDay(day: string): string {
  const end = new Date(`${day}T00:00:00`)
  end.setDate(end.getDate() + 1)
  return end.toISOString()
}

function columnsWith(emails: ReadonlyMap<string, string>): readonly Column<Entry>[] {
  return [
    { id: 'when', label: 'When', width: '112px', cell: (entry) => <Time iso={entry.dateTimeUTC} /> },
    {
      id: 'who',
      label: 'Who',
      width: '240px',
      hideBelow: 'phone',
      cell: (entry) => <Who entry={entry} emails={emails} />,
    },
    {
      id: 'action',
      label: 'Action',
      cell: (entry) => (
        <span title={entry.action} className="block py-1">
          <span className="font-medium">{actionWords(entry.action)}</span>
          <Details details={entry.details} />
          <span className="block text-label text-muted sm:hidden">
            <Who entry={entry} emails={emails} />
          </span>
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
          <Copy text={emails.get(entry.target) ?? entry.target} label={`Copy ${shortTarget(entry.target, emails)}`}>
            {shortTarget(entry.target, emails)}
          </Copy>
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
          <span className="flex items-center gap-1 font-mono text-label text-muted" title={entry.hash}>
            <ShieldCheck size={13} aria-hidden className="text-green" />
            {entry.hash.slice(0, 8)}
          </span>
        ),
    },
  ]
}

/** A name in full; of an id, as much as tells it from others. */
function shortTarget(target: string, emails: ReadonlyMap<string, string>): string {
  return emails.get(target) ?? (target.length === 36 ? `${target.slice(0, 8)}…${target.slice(-6)}` : target)
}

function Who({ entry, emails }: { entry: Entry; emails: ReadonlyMap<string, string> }) {
  const nameOf = (id: string) => emails.get(id) ?? id
  if (entry.accountId === null) return <span className="text-muted">Patchbay</span>
  return (
    <span className="block min-w-0">
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
    .filter(([, value]) => value !== null && value !== '' && value !== false)
    .map(([name, value]) => `${name}: ${wordsOf(value)}`)
    .join(' · ')
  if (text === '') return null
  return (
    <span className="block max-w-[44ch] truncate text-label max-sm:max-w-[30ch] text-muted" title={text}>
      {text}
    </span>
  )
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.every((item) => typeof item === 'string') ? value.join(', ') || 'none' : String(value.length)
}
