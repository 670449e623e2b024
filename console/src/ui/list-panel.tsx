// A list that is asked for by itself: the rows, what stands there while there are none, the refusal in their place, and the way to the next
// page. A table that is part of a larger answer (runs of a replay, workflows of an upgrade) is refused with it, and is a DataTable.
import type { ReactNode } from 'react'
import { type Column, DataTable, type TableProps } from './data-table.tsx'
import { Pagination, type Paging } from './pagination.tsx'
import { Panel } from './panel.tsx'
import { RefusedQuery } from './refused-query.tsx'

type Query = { error: Error | null; data: unknown; isPlaceholderData: boolean; refetch: () => unknown }

export function ListPanel<Row>({
  query,
  sentence,
  paging,
  above,
  ...table
}: Omit<TableProps<Row>, 'isRefreshing'> & {
  columns: readonly Column<Row>[]
  query: Query
  sentence: (error: unknown) => string
  /** Left out where everything comes at once. */
  paging?: Paging
  /** What can be done with the rows that are selected. */
  above?: ReactNode
}) {
  if (query.error && !query.data) {
    return <RefusedQuery sentence={sentence(query.error)} refetch={query.refetch} />
  }
  return (
    <Panel>
      {above}
      <DataTable {...(table as TableProps<Row>)} isRefreshing={query.isPlaceholderData} />
      {paging && <Pagination {...paging} />}
    </Panel>
  )
}
