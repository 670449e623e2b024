import type { KnownItems } from './check-catalog.ts'
import type { CatalogFile, Catalog as Contents } from './definition.ts'
import { fromOpenApi, type OpenApiOptions } from './from-openapi.ts'
import { parseImportedCatalog } from './load.ts'

export type ImportSource =
  | { kind: 'files'; files: CatalogFile[] }
  | { kind: 'openApi'; text: string; options: OpenApiOptions }
export type ImportReading =
  | { kind: 'refused'; message: string }
  | { kind: 'read'; contents: Contents; warnings: string[] }

export function readImport(source: ImportSource, known: KnownItems): ImportReading {
  if (source.kind === 'files') {
    return { kind: 'read', contents: parseImportedCatalog(source.files, known), warnings: [] }
  }
  const outcome = fromOpenApi(source.text, source.options, known)
  return outcome.kind === 'refused' ? outcome : { kind: 'read', contents: outcome.catalog, warnings: outcome.warnings }
}
