// The source files of the project, and what each of them names.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsIn } from './imports-in.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** `to` is a path below the root, or the specifier itself when it names a package. */
export type Import = { from: string; to: string; specifier: string }

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

export function foldersIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** The TypeScript files of a folder and of the folders in it, as paths below the root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourceFiles(path)
    return /\.tsx?$/.test(entry.name) ? [path] : []
  })
}

const read = new Map<string, Import[]>()

export function importsOf(file: string): Import[] {
  const known = read.get(file)
  if (known) return known
  const imports = importsIn(file, textOf(file)).map((specifier) => ({
    from: file,
    specifier,
    to: specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier,
  }))
  read.set(file, imports)
  return imports
}
