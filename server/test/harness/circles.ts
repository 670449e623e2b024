// Circles between files, and between the folders they are in.
import { join } from 'node:path'
import { computed } from './imports-in.ts'
import { type Import, importsOf, textOf } from './source-files.ts'

/** From an entry of a folder to another entry of it. */
type Arrow = { from: string; to: string; because: Import }
/** The arrows of one folder, by where they begin and where they end. */
type Arrows = Map<string, Map<string, Arrow>>

/**
 * In each folder, its files and the folders in it are looked at as one thing each. A circle of files is a circle of the entries of
 * some folder too, so this finds both.
 */
export function circlesAmong(files: readonly string[]): string[] {
  const known = new Set(files)
  const exported = packageFiles()
  const folders = new Map<string, Arrows>()
  for (const found of files.flatMap(importsOf)) {
    for (const to of filesNamed(exported.get(found.to) ?? found.to, known)) {
      const { folder, arrow } = arrowOf({ ...found, to })
      if (arrow.from === arrow.to) continue
      const arrows: Arrows = folders.get(folder) ?? new Map()
      const begun = arrows.get(arrow.from) ?? new Map<string, Arrow>()
      folders.set(folder, arrows.set(arrow.from, begun.set(arrow.to, arrow)))
    }
  }
  return [...folders.values()].flatMap(circlesOf)
}

/** A path with a computed part may name every file that fits. */
function filesNamed(path: string, known: ReadonlySet<string>): string[] {
  if (!path.includes(computed)) return known.has(path) ? [path] : []
  const fits = new RegExp(`^${path.split(computed).map(RegExp.escape).join('[^/]*')}$`)
  return [...known].filter((file) => fits.test(file))
}

/** Between the two entries of the innermost folder that holds both files. */
function arrowOf(because: Import): { folder: string; arrow: Arrow } {
  const [from, to] = [because.from.split('/'), because.to.split('/')]
  const differs = from.findIndex((part, index) => part !== to[index])
  const depth = differs === -1 ? from.length - 1 : differs
  const entry = (parts: string[]) => parts.slice(0, depth + 1).join('/')
  return { folder: from.slice(0, depth).join('/'), arrow: { from: entry(from), to: entry(to), because } }
}

function circlesOf(arrows: Arrows): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (entry: string, path: readonly Arrow[]): void => {
    const begin = path.findIndex(({ from }) => from === entry)
    if (begin !== -1) circles.push(path.slice(begin).map(describeArrow).join(', '))
    if (begin !== -1 || done.has(entry)) return
    for (const arrow of arrows.get(entry)?.values() ?? []) follow(arrow.to, [...path, arrow])
    done.add(entry)
  }
  for (const entry of arrows.keys()) follow(entry, [])
  return circles
}

const describeArrow = ({ because }: Arrow) => `${because.from} -> ${because.to}`

/** What the packages of the project export, by the names under which they import each other. */
function packageFiles(): Map<string, string> {
  const { workspaces } = JSON.parse(textOf('package.json')) as { workspaces: string[] }
  return new Map(
    workspaces.flatMap((folder) => {
      const text = textOf(`${folder}/package.json`)
      const { name, exports = {} } = JSON.parse(text) as { name: string; exports?: Record<string, string> }
      return Object.entries(exports).map(([path, file]): [string, string] => [join(name, path), join(folder, file)])
    }),
  )
}
