import type { KnownItems } from '../format/check-catalog.ts'
import type { CatalogFile, Catalog as Contents } from '../format/definition.ts'
import { parseImportedCatalog } from '../format/load.ts'
import { fromOpenApi, type OpenApiOptions } from '../openapi/from-openapi.ts'

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
