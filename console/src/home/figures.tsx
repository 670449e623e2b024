import { Link } from '@tanstack/react-router'
import type { Answer } from '../api.ts'
import { Panel } from '../ui/panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Time } from '../ui/time.tsx'

type Overview = Answer<'Overview'>
const rowClass = 'flex h-10 items-center gap-3 px-4 text-table'

/** Figures lead to their lists. Connections have none across several accounts. */
export function Figures({ overview, isAcross }: { overview: Overview | undefined; isAcross: boolean }) {
  const rows: {
    label: string
    to: string
    search?: object
    value: number | undefined
    bad?: { count: number | undefined; word: string }
    note?: string | null | undefined
  }[] = [
    {
      label: 'Deployed workflows',
      to: '/workflows',
      search: { state: 'deployed' },
      value: overview?.workflows.deployed,
      bad: { count: overview?.workflows.failing, word: 'failing' },
    },
    {
      label: 'In development',
      to: '/workflows',
      search: { state: 'inDevelopment' },
      value: overview?.workflows.inDevelopment,
    },
    { label: 'Paused', to: '/workflows', search: { paused: true }, value: overview?.workflows.paused },
    {
      label: 'Connections',
      to: '/connections',
      value: overview && overview.connections.ok + overview.connections.faulted + overview.connections.waiting,
      bad: { count: overview?.connections.faulted, word: 'faulted' },
    },
    {
      label: 'Webhooks waiting',
      to: '/workflows',
      search: { webhook: true, sort: 'queued' },
      value: overview?.webhooks.queued,
      note: overview?.webhooks.oldestDateTimeUTC,
    },
  ]
  return (
    <Panel className="divide-y divide-line">
      {rows.map(({ label, to, search, value, bad, note }) => {
        const content = (
          <>
            <span className="min-w-0 flex-1 truncate">{label}</span>
            {note && (
              <span className="text-label text-muted">
                oldest <Time iso={note} />
              </span>
            )}
            {(bad?.count ?? 0) > 0 && (
              <span className="text-label font-medium text-red">
                {bad?.count} {bad?.word}
              </span>
            )}
            <span className="w-12 text-right font-semibold tabular-nums">
              {value === undefined ? <Skeleton width={24} /> : value.toLocaleString('en')}
            </span>
          </>
        )
        return isAcross && to !== '/workflows' ? (
          <div key={label} className={rowClass}>
            {content}
          </div>
        ) : (
          <Link
            key={label}
            to={to}
            search={{ ...search, ...(isAcross ? { all: true } : {}) } as never}
            className={`${rowClass} hover:bg-raised`}
          >
            {content}
          </Link>
        )
      })}
    </Panel>
  )
}
