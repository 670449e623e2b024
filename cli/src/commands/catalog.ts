import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Answer, BodyOf, Operations } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { counted } from '../counted.ts'
import { Failure } from '../failure.ts'
import { refuseLinks } from '../folders/refuse-links.ts'
import { writeWhole } from '../folders/write-files.ts'

type Imported = Answer<'CatalogImport'>
type Body = BodyOf<Operations['CatalogImport']>

const textFile = /\.(ya?ml|js|json|svg|md)$/

export async function catalogImport(context: Context, options: { partial?: boolean }, path: string): Promise<0 | 1> {
  return bring(context, path, options.partial ? { partial: true } : {})
}

export async function catalogCheck(context: Context, _: object, path: string): Promise<0 | 1> {
  return bring(context, path, { dryRun: true, partial: true })
}

async function bring(context: Context, path: string, query: { dryRun?: boolean; partial?: boolean }): Promise<0 | 1> {
  const body = readCatalog(resolve(context.cwd, path))
  const { client } = await context.connect()
  const answer = await client.catalogImport({ query, body })
  context.terminal.result(answer, () => describe(answer, query.dryRun ?? false))
  return answer.problems.length > 0 ? 1 : 0
}

function readCatalog(path: string): Body {
  if (!statSync(path, { throwIfNoEntry: false })) throw new Failure(`${path} does not exist.`)
  if (statSync(path).isFile()) return { openApi: { document: readFileSync(path, 'utf8') } }
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.split(sep).some((part) => part.startsWith('.')))
    .filter((file) => {
      refuseLinks(path, join(path, file))
      return statSync(join(path, file)).isFile()
    })
    .map((file) => {
      const name = file.split(sep).join('/')
      const bytes = readFileSync(join(path, file))
      return textFile.test(name)
        ? { path: name, content: bytes.toString('utf8') }
        : { path: name, content: bytes.toString('base64'), encoding: 'base64' as const }
    })
  if (files.length === 0) throw new Failure(`${path} contains no files.`)
  return { files }
}

function describe({ imported, problems, warnings }: Imported, isTrial: boolean): string {
  return [
    ...imported.map(
      ({ entityType, name, version, change }) =>
        `${change}${isTrial ? ' (not stored)' : ''}  ${entityType} "${name}" ${version ?? 'draft'}`,
    ),
    ...problems.map(
      ({ file, line, column, message }) => `${file}:${line}${column === undefined ? '' : `:${column}`}: ${message}`,
    ),
    ...warnings,
  ].join('\n')
}

export async function catalogExport(context: Context, options: { drafts?: boolean }, path: string): Promise<undefined> {
  const { client } = await context.connect()
  const { files } = await client.catalogExport({ query: options.drafts ? { isDraft: true } : {} })
  const root = resolve(context.cwd, path)
  for (const file of files) {
    // A server that one does not trust must not write outside the folder.
    const target = resolve(root, file.path)
    if (!target.startsWith(root + sep))
      throw new Failure(`The server sent a file with the path ${file.path}, which is outside ${path}.`)
    writeWhole(root, target, file.encoding === 'base64' ? Buffer.from(file.content, 'base64') : file.content)
  }
  context.terminal.result(
    { folder: root, files: files.map((file) => file.path) },
    () => `${counted(files.length, 'file')} in ${path}.`,
  )
}
