// Tables are tables: headings that say how they are sorted, rows of one height, and a place kept for what is on its way.
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Skeleton } from './skeleton.tsx'

export type Column<Row> = {
  id: string
  label: string
  cell: (row: Row) => ReactNode
  /** Sorts by this column when its heading is pressed. */
  isSortable?: boolean
  align?: 'end'
  width?: string
  /** Left out below this width. */
  hideBelow?: 'phone' | 'desktop'
  isLabelHidden?: boolean
}

export type Sort = { by: string; isAscending: boolean }

export type TableProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  keyOf: (row: Row) => string
  sort?: Sort
  onSort?: (sort: Sort) => void
  isRefreshing?: boolean
  /** Shown in place of rows when there are none. */
  empty?: ReactNode
  skeletonRows?: number
  selection?: {
    has: (row: Row) => boolean
    toggle: (row: Row) => void
    toggleAll: () => void
    isAll: boolean
    nameOf: (row: Row) => string
  }
}

const hidden = { phone: 'max-sm:hidden', desktop: 'max-lg:hidden' }

export function DataTable<Row>(props: TableProps<Row>) {
  const { columns, rows, label } = props
  if (rows?.length === 0 && props.empty) return <>{props.empty}</>
  return (
    <div className={classNames('overflow-x-auto transition-opacity duration-100', props.isRefreshing && 'opacity-60')}>
      <table
        className="w-full table-fixed border-collapse text-table"
        aria-label={label}
        aria-busy={rows === undefined || undefined}
      >
        <thead>
          <tr className="border-b border-line text-left">
            {props.selection && (
              <th className="w-9 pl-3 max-sm:hidden">
                <input
                  type="checkbox"
                  aria-label="Select all on this page"
                  checked={props.selection.isAll}
                  onChange={props.selection.toggleAll}
                  className="block size-3.5 accent-(--accent-fill)"
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined ? (
            <Placeholder {...props} />
          ) : (
            rows.map((row) => <Row key={props.keyOf(row)} row={row} {...props} />)
          )}
        </tbody>
      </table>
    </div>
  )
}

function Heading<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}) {
  const isSorted = sort?.by === column.id
  const Arrow = sort?.isAscending ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isAscending ? 'ascending' : 'descending') : undefined}
      style={column.width === undefined ? undefined : { width: column.width }}
      className={classNames(
        'h-8 px-3 text-label font-medium whitespace-nowrap text-muted',
        column.align === 'end' && 'text-right',
        column.hideBelow && hidden[column.hideBelow],
      )}
    >
      {column.isSortable && onSort ? (
        <button
          type="button"
          onClick={() => onSort({ by: column.id, isAscending: isSorted ? !sort.isAscending : true })}
          className={classNames(
            'inline-flex items-center gap-1 rounded-sm hover:text-text',
            isSorted && 'text-text',
            column.align === 'end' && 'flex-row-reverse',
          )}
        >
          {column.label}
          <Arrow size={12} aria-hidden className={isSorted ? '' : 'invisible'} />
        </button>
      ) : (
        <span className={column.isLabelHidden ? 'sr-only' : ''}>{column.label}</span>
      )}
    </th>
  )
}

function Row<Row>({ row, columns, selection }: { row: Row } & TableProps<Row>) {
  return (
    <tr className="group/row border-b border-line last:border-b-0 hover:bg-raised/60">
      {selection && (
        <td className="w-9 pl-3 max-sm:hidden">
          <input
            type="checkbox"
            aria-label={`Select ${selection.nameOf(row)}`}
            checked={selection.has(row)}
            onChange={() => selection.toggle(row)}
            className="block size-3.5 accent-(--accent-fill)"
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          className={classNames(
            'h-9 px-3 py-1',
            column.align === 'end' && 'text-right',
            column.hideBelow && hidden[column.hideBelow],
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

function Placeholder<Row>({ columns, skeletonRows = 8, selection }: TableProps<Row>) {
  return Array.from({ length: skeletonRows }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never change places.
    <tr key={index} className="border-b border-line last:border-b-0">
      {selection && <td className="max-sm:hidden" />}
      {columns.map((column, place) => (
        <td key={column.id} className={classNames('h-9 px-3', column.hideBelow && hidden[column.hideBelow])}>
          <Skeleton width={place === 0 ? `${70 - ((index * 13) % 30)}%` : '50%'} />
        </td>
      ))}
    </tr>
  ))
}
