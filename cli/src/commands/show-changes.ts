import type { Change } from '../folders/compare.ts'
import type { Terminal } from '../terminal.ts'

const shownCharactersMax = 200

export function showChanges(terminal: Terminal, changes: readonly Change[]): string {
  return changes
    .map(({ workflow, change, path, from, to }) => {
      if (change === 'create') return `${terminal.paint('green', '+')} "${workflow}" is new`
      const place = `~ "${workflow}" ${path}`
      return `${terminal.paint('yellow', place)}\n${terminal.paint('red', `  - ${show(from)}`)}\n${terminal.paint('green', `  + ${show(to)}`)}`
    })
    .join('\n')
}

function show(value: unknown): string {
  if (value === null) return '(nothing)'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const short = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
  return short.replaceAll('\n', '\n    ')
}
