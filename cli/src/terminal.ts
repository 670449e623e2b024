// What a command prints: one JSON value with --json, text for people otherwise. Colours only where somebody watches.
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

export type Terminal = {
  readonly isJson: boolean
  /** The result of the command. */
  result(value: unknown, text: () => string): void
  /** One value of many, as they come: a line of JSON or a line of text. */
  item(value: unknown, text: () => string): void
  /** Progress and remarks; never part of the result. */
  note(line: string): void
  paint(style: Style, text: string): string
}

export function createTerminal(isJson: boolean, isColoured: boolean): Terminal {
  const write = (text: string) => process.stdout.write(`${text}\n`)
  return {
    isJson,
    result: (value, text) => {
      const shown = isJson ? JSON.stringify(value ?? null, null, 2) : text()
      if (shown !== '') write(shown)
    },
    item: (value, text) => write(isJson ? JSON.stringify(value) : text()),
    note: (line) => void process.stderr.write(`${line}\n`),
    paint: (style, text) => (isJson || !isColoured ? text : styleText(style, text, { stream: process.stdout })),
  }
}

/** Columns, each as wide as its longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  return rows
    .map((row) =>
      row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  '),
    )
    .join('\n')
}
