// A list of things by pages: the rows, what stands there while there are none, the refusal in their place, and the way to the next page.
import { Button } from './button.tsx'
import { type Column, DataTable, type TableProps } from './data-table.tsx'
import { Notice } from './notice.tsx'
import { Pagination } from './pagination.tsx'
import { Panel } from './panel.tsx'

type Query = { error: Error | null; data: unknown; isPlaceholderData: boolean; refetch: () => unknown }

export function ListPanel<Row>({
  query,
  sentence,
  paging,
  ...table
}: Omit<TableProps<Row>, 'isRefreshing'> & {
  columns: readonly Column<Row>[]
  query: Query
  sentence: (error: unknown) => string
  /** Left out where everything comes at once. */
  paging?: { page: number; size: number; total: number | undefined; onPage: (page: number) => void }
}) {
  if (query.error && !query.data) {
    return (
      <Notice
        kind="error"
        action={
          <Button size="small" onClick={() => query.refetch()}>
            Try again
          </Button>
        }
      >
        {sentence(query.error)}
      </Notice>
    )
  }
  return (
    <Panel>
      <DataTable {...(table as TableProps<Row>)} isRefreshing={query.isPlaceholderData} />
      {paging && <Pagination {...paging} />}
    </Panel>
  )
}
