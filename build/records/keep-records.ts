// Records gather over time: whoever runs one part alone replaces the record of that part and leaves the others.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const docs = fileURLToPath(new URL('../../docs/', import.meta.url))

/** Replaces the record of this name; the others keep their place, in the order of `names`. Those that exist no longer are dropped. */
export function keepRecord<Kept extends { name: string }>(
  file: string,
  names: readonly string[],
  record: Kept,
): Kept[] {
  const others = readRecords<Kept>(file).filter(({ name }) => name !== record.name && names.includes(name))
  const kept = [...others, record].sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name))
  writeWhole(`${docs}${file}`, `${JSON.stringify(kept, null, 2)}\n`)
  return kept
}

export function readRecords<Kept>(file: string): Kept[] {
  try {
    return JSON.parse(readFileSync(`${docs}${file}`, 'utf8')) as Kept[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** All or nothing, so that an interrupted run damages no record. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** A cell of a Markdown table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', '<br>')
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
