/** `isMet` is undefined for what is only told. */
export type Row = { what: string; measured: string; wanted: string; isMet: boolean | undefined }

export function printTable(title: string, rows: Row[]): void {
  const width = (pick: (row: Row) => string) => Math.max(...rows.map((row) => pick(row).length))
  const [what, measured] = [width((row) => row.what), width((row) => row.measured)]
  console.log(`\n${title}`)
  for (const row of rows)
    console.log(
      `  ${row.isMet === undefined ? '      ' : row.isMet ? 'met   ' : 'missed'}  ${row.what.padEnd(what)}  ${row.measured.padEnd(measured)}  (${row.wanted})`,
    )
}
