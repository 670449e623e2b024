import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../api.ts'
import { StatusText } from '../runs/run-status.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'
import { placeWords } from './places.ts'

type Found = Answer<'SearchRuns'>['items'][number]

export function foundColumns(term: string, isAcross: boolean): readonly Column<Found>[] {
  return [
    {
      id: 'run',
      label: 'Run',
      width: '300px',
      cell: (item) => (
        <div className="min-w-0 py-1">
          <RunLink item={item} />
          <span className="block truncate text-label text-muted">
            {isAcross && item.accountEmail ? `${item.accountEmail} · ` : ''}
            {placeWords[item.where]}
            {item.blockName ? ` of ${item.blockName}` : ''}
          </span>
        </div>
      ),
    },
    {
      id: 'snippet',
      label: 'Where it stands',
      hideBelow: 'phone',
      cell: (item) => (
        <span className="line-clamp-2 font-mono text-label leading-5 text-muted [overflow-wrap:anywhere]">
          <Marked text={item.snippet} term={term} />
        </span>
      ),
    },
    {
      id: 'status',
      label: 'State',
      width: '110px',
      cell: (item) =>
        item.status === null ? <span className="text-muted">Waiting</span> : <StatusText status={item.status} />,
    },
    { id: 'when', label: 'When', width: '104px', align: 'end', cell: (item) => <Time iso={item.dateTimeUTC} /> },
  ]
}

function RunLink({ item }: { item: Found }) {
  const className = 'block truncate font-medium hover:text-accent hover:underline'
  // What was found in another account is opened as that account.
  const as = item.accountId === undefined ? {} : { as: item.accountId }
  if (item.runNumber === null) {
    return (
      <Link
        to="/workflows/$id"
        params={{ id: item.workflowId }}
        search={{ ...as, tab: 'webhook', ...(item.webhookId ? { request: item.webhookId } : {}) } as never}
        className={className}
      >
        {item.workflowName} · request
      </Link>
    )
  }
  return (
    <Link
      to="/workflows/$id/runs/$number"
      params={{ id: item.workflowId, number: String(item.runNumber) }}
      search={{ ...as, ...(item.uniqueBlockId ? { block: item.uniqueBlockId } : {}) } as never}
      className={className}
    >
      {item.workflowName} · run {item.runNumber}
    </Link>
  )
}

/** The words that were asked for, marked where they stand. */
function Marked({ text, term }: { text: string; term: string }) {
  const words = term.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return text
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi')
  let at = 0
  return text.split(pattern).map((piece): ReactNode => {
    const key = at
    at += piece.length
    const isWord = words.some((word) => word.toLowerCase() === piece.toLowerCase())
    return isWord ? (
      <mark key={key} className="rounded-sm bg-amber-soft px-0.5 font-medium text-text">
        {piece}
      </mark>
    ) : (
      piece
    )
  })
}
