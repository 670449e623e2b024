// Places blocks from left to right: a block stands one column after the last block it reads from. Within a column, blocks stand near what
// they read, so that cables cross little.
export type Placed = { id: string; x: number; y: number }
type Node = { id: string; sources: readonly string[] }

export const blockWidth = 192
export const blockHeight = 60
const columnGap = 56
const rowGap = 28
const sweeps = 4

export function layOut(blocks: readonly Node[]): Placed[] {
  const columns = columnsOf(blocks)
  const nodes = withBends(blocks, columns)
  const byColumn = new Map<number, Node[]>()
  for (const node of nodes) {
    const column = columns.get(node.id) as number
    byColumn.set(column, [...(byColumn.get(column) ?? []), node])
  }
  orderRows(byColumn, nodes)
  const tallest = Math.max(0, ...[...byColumn.values()].map((column) => column.length))
  const isBlock = new Set(blocks.map(({ id }) => id))
  return [...byColumn].flatMap(([column, members]) =>
    members
      .map(({ id }, row) => ({
        id,
        x: column * (blockWidth + columnGap),
        y: (row + (tallest - members.length) / 2) * (blockHeight + rowGap),
      }))
      .filter(({ id }) => isBlock.has(id)),
  )
}

/** A cable that passes other columns gets a place of its own in each of them, so that it does not run behind blocks. */
function withBends(blocks: readonly Node[], columns: Map<string, number>): Node[] {
  const bends: Node[] = []
  const bent = blocks.map((block) => ({
    ...block,
    sources: block.sources.map((source) => {
      let last = source
      const to = columns.get(block.id) as number
      for (let column = (columns.get(source) ?? to) + 1; column < to; column++) {
        const bend = { id: `${source}>${block.id}@${column}`, sources: [last] }
        columns.set(bend.id, column)
        bends.push(bend)
        last = bend.id
      }
      return last
    }),
  }))
  return [...bent, ...bends]
}

/** The longest way from a start to each block. A cycle, which the service refuses anyway, ends where it was entered. */
function columnsOf(nodes: readonly Node[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const columns = new Map<string, number>()
  const columnOf = (id: string, path: ReadonlySet<string>): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    const sources = (byId.get(id)?.sources ?? []).filter((source) => byId.has(source) && !path.has(source))
    const inner = new Set([...path, id])
    const column = sources.length === 0 ? 0 : 1 + Math.max(...sources.map((source) => columnOf(source, inner)))
    columns.set(id, column)
    return column
  }
  for (const { id } of nodes) columnOf(id, new Set([id]))
  return columns
}

/** Some sweeps over the columns, each putting blocks in the order of the middle of their neighbours. */
function orderRows(byColumn: Map<number, Node[]>, nodes: readonly Node[]): void {
  const readers = new Map<string, string[]>()
  for (const { id, sources } of nodes)
    for (const source of sources) readers.set(source, [...(readers.get(source) ?? []), id])
  const keys = [...byColumn.keys()].toSorted((a, b) => a - b)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0
    for (const column of isForward ? keys : keys.toReversed()) {
      const rows = new Map(
        [...byColumn.values()].flatMap((members) => members.map(({ id }, row) => [id, row] as const)),
      )
      const middleOf = (node: Node, fallback: number) => {
        const near = (isForward ? node.sources : (readers.get(node.id) ?? []))
          .map((id) => rows.get(id))
          .filter((row) => row !== undefined)
        return near.length === 0 ? fallback : near.reduce((sum, row) => sum + row, 0) / near.length
      }
      const members = byColumn.get(column) as Node[]
      const middles = new Map(members.map((node, row) => [node.id, middleOf(node, row)]))
      byColumn.set(
        column,
        members.toSorted((a, b) => (middles.get(a.id) as number) - (middles.get(b.id) as number)),
      )
    }
  }
}
