// What a command prints: one JSON value with --json, text for people otherwise. Colours only where somebody watches.
import { randomUUID } from 'node:crypto'
import { styleText } from 'node:util'
import { visible, visibleJson } from './visible.ts'

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

/** Stands for the escape character of our own colours until the text is written: nobody else can know it, so no other colours pass. */
const escapeMark = randomUUID()

export function createTerminal(isJson: boolean, isColoured: boolean): Terminal {
  const shownText = (text: string) => visible(text).replaceAll(escapeMark, '\u001b')
  const write = (text: string) => process.stdout.write(`${isJson ? visibleJson(text) : shownText(text)}\n`)
  return {
    isJson,
    result: (value, text) => {
      const shown = isJson ? JSON.stringify(value ?? null, null, 2) : text()
      if (shown !== '') write(shown)
    },
    item: (value, text) => write(isJson ? JSON.stringify(value) : text()),
    note: (line) => void process.stderr.write(`${visible(line)}\n`),
    paint: (style, text) =>
      isJson || !isColoured
        ? text
        : styleText(style, visible(text), { stream: process.stdout }).replaceAll('\u001b', escapeMark),
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
