// Many rows in one statement: one array a column, unnested by the server. A text stays the same however many rows there are, so it is
// prepared once.

export type Column<Row> = readonly [name: string, type: string, of: (row: Row) => unknown]

/** A table `alias` of the rows whose arrays are given as the parameters $1, $2 … */
export function unnestText(columns: readonly Column<never>[], alias: string): string {
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`)
  return `unnest(${arrays.join(', ')}) as ${alias} (${columns.map(([name]) => name).join(', ')})`
}

export function columnArrays<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[][] {
  return columns.map(([, , of]) => rows.map(of))
}
