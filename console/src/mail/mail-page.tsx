// The outbox: every mail that scripts and the service sent, or hold until a mail server is set up.
import { getRouteApi } from '@tanstack/react-router'
import { Mail, MailWarning } from 'lucide-react'
import { type Answer, type Body, sentenceOf, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'

const route = getRouteApi('/mail')
const size = 50
type Item = Answer<'GetOutbox'>['items'][number]

const looks: Record<Item['status'], { tone: ChipTone; shape: ChipShape }> = {
  Held: { tone: 'amber', shape: 'bars' },
  Queued: { tone: 'grey', shape: 'ring' },
  Sent: { tone: 'green', shape: 'check' },
  Failed: { tone: 'red', shape: 'cross' },
}

export function MailPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const isManager = useStore(session)?.myAccount.role === 'Manager'
  const page = (filters.page ?? 1) - 1
  const change = useFilterChange<typeof filters>(navigate)
  const outbox = useOperation(
    'GetOutbox',
    { body: bodyOf(filters, page) },
    { keepPrevious: true, refetchInterval: 10_000 },
  )
  const hasHeld = outbox.data?.items.some(({ status }) => status === 'Held')
  return (
    <Page
      title="Mail"
      lead="E-mails from scripts, the API and Patchbay itself. Each is kept until a mail server accepts it."
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        {(Object.keys(looks) as Item['status'][]).map((status) => (
          <FilterChip
            key={status}
            label={status}
            isOn={filters.status === status}
            onChange={(isOn) => change({ status: isOn ? status : undefined })}
          />
        ))}
        {isManager && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined })}
          />
        )}
      </search>
      {hasHeld && (
        <div className="mb-3">
          <Notice kind="warning" title="E-mails are held because no mail server is set up.">
            Set PATCHBAY_SMTP_URL and restart Patchbay; held e-mails are then sent.
          </Notice>
        </div>
      )}
      <ListPanel
        label="Mail"
        columns={columns}
        rows={outbox.data?.items}
        keyOf={(mail) => mail.id}
        empty={
          filters.status ? (
            <Empty icon={MailWarning} title={`No e-mails are ${filters.status.toLowerCase()}.`} />
          ) : (
            <Empty icon={Mail} title="No e-mails yet">
              Scripts send e-mails with email.send(…). Those about failures, alarms and shares are listed here too.
            </Empty>
          )
        }
        query={outbox}
        sentence={sentenceOf}
        paging={{ page, size, total: outbox.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
    </Page>
  )
}

function bodyOf(filters: { status?: string | undefined; all?: true | undefined }, page: number): Body<'GetOutbox'> {
  return {
    page,
    size,
    ...(filters.status ? { status: [filters.status as Item['status']] } : {}),
    ...(filters.all ? { allAccounts: true } : {}),
  }
}

const columns: readonly Column<Item>[] = [
  {
    id: 'status',
    label: 'State',
    width: '110px',
    cell: (mail) => <StateText {...looks[mail.status]}>{mail.status}</StateText>,
  },
  {
    id: 'subject',
    label: 'Subject',
    cell: (mail) => (
      <div className="min-w-0 py-1">
        <span className="block font-medium max-sm:[overflow-wrap:anywhere] sm:truncate">{mail.subject}</span>
        <span className="block text-label text-muted sm:hidden">
          <Time iso={mail.createDateTimeUTC} />
        </span>
        {mail.errorMessage && (
          <span className="block text-label text-red [overflow-wrap:anywhere]">{mail.errorMessage}</span>
        )}
      </div>
    ),
  },
  {
    id: 'to',
    label: 'To',
    width: '280px',
    hideBelow: 'phone',
    cell: (mail) => (
      <span title={mail.recipients.join('\n')} className="block max-w-[280px] truncate">
        {mail.recipients[0]}
        {mail.recipients.length > 1 && <span className="text-muted"> and {mail.recipients.length - 1} more</span>}
      </span>
    ),
  },
  { id: 'tries', label: 'Tries', width: '64px', align: 'end', hideBelow: 'desktop', cell: (mail) => mail.attempts },
  {
    id: 'made',
    label: 'Written',
    width: '112px',
    hideBelow: 'phone',
    cell: (mail) => <Time iso={mail.createDateTimeUTC} />,
  },
  {
    id: 'sent',
    label: 'Sent',
    width: '112px',
    hideBelow: 'desktop',
    cell: (mail) => <Time iso={mail.sentDateTimeUTC} />,
  },
]
