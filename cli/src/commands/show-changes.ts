import type { Change } from '../folders/compare.ts'
import type { Terminal } from '../terminal.ts'

const shownCharactersMax = 200

export function showChanges(terminal: Terminal, changes: readonly Change[]): string {
  return changes
    .map(({ workflow, change, path, from, to }) => {
      if (change === 'create') return `${terminal.paint('green', '+')} "${workflow}" is new`
      const place = terminal.paint('yellow', `~ "${workflow}" ${path}`)
      const lines = isText(from) && isText(to) ? showLines(from, to) : { gone: [show(from)], come: [show(to)] }
      return [
        place,
        ...lines.gone.map((line) => terminal.paint('red', `  - ${line}`)),
        ...lines.come.map((line) => terminal.paint('green', `  + ${line}`)),
      ].join('\n')
    })
    .join('\n')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n')
}

/** Of a script, the lines between the first and the last that differ. */
function showLines(from: string, to: string): { gone: string[]; come: string[] } {
  const [was, is] = [from.split('\n'), to.split('\n')]
  let head = 0
  while (head < Math.min(was.length, is.length) && was[head] === is[head]) head++
  let tail = 0
  while (tail < Math.min(was.length, is.length) - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  return { gone: was.slice(head, was.length - tail), come: is.slice(head, is.length - tail) }
}

function show(value: unknown): string {
  if (value === null) return '(nothing)'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const short = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
  return short.replaceAll('\n', '\n    ')
}
