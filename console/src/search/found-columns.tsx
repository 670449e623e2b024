import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../api.ts'
import { StatusText } from '../runs/run-status.tsx'
import { classNames } from '../ui/class-names.ts'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'
import { placeWords } from './places.ts'

type Found = Answer<'SearchRuns'>['items'][number]

/** A run, or a request that has not run yet, with every place in it that holds the words. */
export type FoundRun = { key: string; first: Found; places: readonly Found[] }

/** Runs stand in the order in which they were found; so do the places of each. */
export function byRun(items: readonly Found[]): FoundRun[] {
  const runs = Map.groupBy(items, ({ workflowId, runNumber, webhookId }) =>
    runNumber === null ? `${workflowId} request ${webhookId}` : `${workflowId} ${runNumber}`,
  )
  return [...runs].map(([key, places]) => ({ key, first: places[0] as Found, places }))
}

/** So many places of one run are shown; the rest is a click away on the run itself. */
const placesMax = 3

export function foundColumns(term: string, isAcross: boolean): readonly Column<FoundRun>[] {
  return [
    {
      id: 'run',
      label: 'Run',
      width: '300px',
      cell: ({ first, places }) => (
        <div className="min-w-0 py-1">
          <RunLink item={first} />
          <span className="block truncate text-label text-muted max-sm:whitespace-normal">
            {isAcross && first.accountEmail ? `${first.accountEmail} · ` : ''}
            {places.length === 1 ? placeText(first) : `${places.length} places`}
            <span className="sm:hidden">
              {' · '}
              <Time iso={first.dateTimeUTC} />
            </span>
          </span>
        </div>
      ),
    },
    {
      id: 'snippet',
      label: 'Found in',
      hideBelow: 'phone',
      cell: ({ places }) => (
        <ul className="flex flex-col gap-1 py-1.5">
          {places.slice(0, placesMax).map((item) => (
            <li
              key={`${item.where} ${item.uniqueBlockId} ${item.webhookId}`}
              className="flex gap-3 text-label leading-5 text-muted"
            >
              {places.length > 1 && <span className="w-48 shrink-0 truncate text-text">{placeText(item)}</span>}
              <span
                className={classNames(
                  'min-w-0 flex-1 font-mono [overflow-wrap:anywhere]',
                  places.length > 1 ? 'line-clamp-1' : 'line-clamp-2',
                )}
              >
                <Marked text={item.snippet} term={term} />
              </span>
            </li>
          ))}
          {places.length > placesMax && <li className="text-label text-faint">and {places.length - placesMax} more</li>}
        </ul>
      ),
    },
    {
      id: 'status',
      label: 'State',
      width: '110px',
      cell: ({ first }) =>
        first.status === null ? <span className="text-muted">Waiting</span> : <StatusText status={first.status} />,
    },
    {
      id: 'when',
      label: 'When',
      width: '104px',
      align: 'end',
      hideBelow: 'phone',
      cell: ({ first }) => <Time iso={first.dateTimeUTC} />,
    },
  ]
}

function placeText({ where, blockName }: Found): string {
  return blockName ? `${placeWords[where]} of ${blockName}` : placeWords[where]
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
        search={{ ...as, tab: 'webhook', ...(item.webhookId ? { request: item.webhookId } : {}) }}
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
      search={{ ...as, ...(item.uniqueBlockId ? { block: item.uniqueBlockId } : {}) }}
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
