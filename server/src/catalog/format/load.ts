import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { checkCatalog, type KnownItems } from './check-catalog.ts'
import type { Catalog, CatalogFile, Problem } from './definition.ts'
import { parseFiles } from './parse-files.ts'

const catalogFileBytesMax = 1024 * 1024
const importFilesMax = 5000

/** Reads a catalogue directory. It throws only when the directory itself cannot be read. */
export async function loadCatalog(directory: string): Promise<Catalog> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const problems: Problem[] = []
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(async (entry): Promise<CatalogFile | null> => {
        const absolute = join(entry.parentPath, entry.name)
        const path = relative(directory, absolute).split(sep).join('/')
        try {
          if ((await stat(absolute)).size > catalogFileBytesMax) throw new Error('The file is larger than 1 MiB')
          return entry.name.endsWith('.png')
            ? { path, content: await readFile(absolute, 'base64'), encoding: 'base64' }
            : { path, content: await readFile(absolute, 'utf8') }
        } catch (error) {
          problems.push({ file: path, line: 1, message: `The file cannot be read: ${(error as Error).message}.` })
          return null
        }
      }),
  )
  const catalog = checkCatalog(parseFiles(files.filter((file) => file !== null)))
  return { ...catalog, problems: [...problems, ...catalog.problems] }
}

/** The same checks for files that a partner brings at run time. */
export function parseImportedCatalog(files: readonly CatalogFile[], known: KnownItems = {}): Catalog {
  const problems: Problem[] = []
  if (files.length > importFilesMax) {
    problems.push({ file: '', line: 1, message: `An import holds at most ${importFilesMax} files.` })
    return { applications: [], blockTemplates: [], workflowTemplates: [], functions: [], problems }
  }
  const readable = files.filter(({ path, content }) => {
    if (content.length <= catalogFileBytesMax) return true
    problems.push({ file: path, line: 1, message: 'The file is larger than 1 MiB.' })
    return false
  })
  const catalog = checkCatalog(parseFiles(readable), known)
  return { ...catalog, problems: [...problems, ...catalog.problems] }
}
