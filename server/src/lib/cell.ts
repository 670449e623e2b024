// Large installations are made of cells: each a database with its API and worker processes, each with organizations of its own. What goes out of a
// cell and comes back (keys, links, addresses) carries the cell's name, so that an ordinary proxy in front of all cells finds the right one.
// A process belongs to one cell for all its life, as it has one process id; the name is told once, at its start.

let name: string | undefined

export function belongToCell(cell: string | undefined): void {
  name = cell
}

/** `pbc` becomes `pbc_eu1` in the cell eu1. */
export function withCell(prefix: string): string {
  return name === undefined ? prefix : `${prefix}_${name}`
}

/** A word that names the cell before a dot; the same word where there are no cells. */
export function dottedCell(word: string): string {
  return name === undefined ? word : `${name}.${word}`
}

/** The word alone, whichever cell stands before it. */
export function withoutCell(dotted: string): string {
  return dotted.slice(dotted.indexOf('.') + 1)
}

/** For addresses that have no token of ours in them. */
export function cellParameter(): string {
  return name === undefined ? '' : `&cell=${name}`
}

/** Names the cell in what is told to operators; nothing where there are no cells. */
export function cellLabel(): { cell?: string } {
  return name === undefined ? {} : { cell: name }
}
