// POST /api/CatalogImport: files, or an OpenAPI document, become the organization's own items.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database, Tx } from '../../db/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { type OutboundClient, OutboundError, ownedBy } from '../../outbound/index.ts'
import type { StorageLedger } from '../../storage/index.ts'
import type { CatalogFile, Problem } from '../format/definition.ts'
import type { WithdrawCredentials } from '../ports.ts'
import type { Catalog } from '../shelves/catalog.ts'
import { listKnownVersions, raiseStamp, writeItems } from '../shelves/store.ts'
import { readImportApart } from './import-in-thread.ts'
import { ImportTurns } from './import-turns.ts'
import { whatMayChange, writeOwners } from './owners.ts'
import { givenItems, type ImportedItem, planImport } from './plan-import.ts'
import type { ImportReading, ImportSource } from './read-import.ts'

export type ImportDeps = {
  database: Database
  catalog: Catalog
  outbound: Pick<OutboundClient, 'send'>
  withdrawCredentials: WithdrawCredentials
  ledger: Pick<StorageLedger, 'requireRoom'>
}
/** `dryRun` changes nothing and tells what would be done; `partial` leaves out what is broken and stores the rest. */
type Options = { dryRun?: boolean; partial?: boolean }

type OpenApiSource = { document?: unknown; url?: string; shortName?: string; trustedHosts?: string[] }
type Given = { files?: CatalogFile[]; openApi?: OpenApiSource }
type Outcome = { imported: ImportedItem[]; problems: Problem[]; warnings: string[] }
type Reading = Extract<ImportReading, { kind: 'read' }>

const documentBytesMax = 8 * 1024 * 1024
const problemsTold = 20

const turns = new ImportTurns()

export async function importCatalog(
  deps: ImportDeps,
  principal: Principal,
  given: Given,
  options: Options,
): Promise<Outcome> {
  if (!options.dryRun) deps.ledger.requireRoom(principal.account.id)
  const source = await findSource(deps, principal, given)
  return turns.take(scopeOf(principal), () => importNow(deps, principal, source, options))
}

async function findSource(deps: ImportDeps, principal: Principal, { files, openApi }: Given): Promise<ImportSource> {
  if ((files === undefined) === (openApi === undefined)) {
    throw invalid('Give either the field files or the field openApi.')
  }
  if (files) return { kind: 'files', files }
  const { document, url, shortName, trustedHosts } = openApi as OpenApiSource
  if ((document === undefined) === (url === undefined)) {
    throw invalid('Give either the field openApi.document or the field openApi.url.')
  }
  if (trustedHosts && url === undefined) throw invalid('The field openApi.trustedHosts needs openApi.url.')
  const fetched =
    url === undefined
      ? { text: textOf(document) }
      : await fetchDocument(ownedBy(deps.outbound, scopeOf(principal)), url)
  const options = {
    namespace: principal.account.organizationId,
    ...(shortName === undefined ? {} : { shortName }),
    ...(trustedHosts === undefined ? {} : { trustedHosts }),
    ...('sourceUrl' in fetched ? { sourceUrl: fetched.sourceUrl } : {}),
  }
  return { kind: 'openApi', text: fetched.text, options }
}

async function importNow(
  deps: ImportDeps,
  principal: Principal,
  source: ImportSource,
  options: Options,
): Promise<Outcome> {
  const hosted = await deps.catalog.hosted(principal.account.organizationId)
  const reading = await readImportApart(source, deps.catalog.knownItems(hosted))
  if (reading.kind === 'refused') throw new AppError('catalog_invalid', reading.message)
  const numbersVersions = source.kind === 'openApi'
  // An application that moves concerns registered ones in every account of the organization.
  return deps.database.system.transaction((tx) =>
    store(deps, tx, principal, { ...options, ...reading, numbersVersions }),
  )
}

/** What another import may have changed since the files were read is judged here, one change after the other. */
async function store(
  deps: ImportDeps,
  tx: Tx,
  principal: Principal,
  { contents, warnings, numbersVersions, dryRun, partial }: Reading & Options & { numbersVersions: boolean },
): Promise<Outcome> {
  const { organizationId } = principal.account
  if (!dryRun) await raiseStamp(tx, organizationId)
  const hosted = await deps.catalog.hostedOn(tx, organizationId)
  const items = givenItems(contents).map(({ item }) => item)
  const versions = await listKnownVersions(
    tx,
    organizationId,
    items.map((item) => ({ id: item.id, version: 'version' in item ? item.version : null })),
  )
  const plan = planImport(contents, hosted, versions, {
    numbersVersions,
    mayChange: await whatMayChange(
      tx,
      principal,
      items.map(({ id }) => id),
    ),
    findPublishedBlock: (id) => deps.catalog.findPublishedBlock(hosted, id),
  })
  const problems = [...contents.problems, ...plan.problems]
  if (dryRun) return { imported: plan.imported, problems, warnings }
  // The blocks of a document are for its application: without it they would be bound to whatever has that name.
  const lacksApplication = numbersVersions && !plan.imported.some(({ entityType }) => entityType === 'application')
  if (plan.imported.length === 0 || lacksApplication || (problems.length > 0 && !partial)) {
    throw new AppError('catalog_invalid', nothingImported(problems), { response: { problems } })
  }
  for (const { id, shortName } of plan.moved) await deps.withdrawCredentials(tx, organizationId, { id, shortName })
  await Promise.all([
    writeItems(tx, organizationId, principal.caller.id, plan.writes),
    writeOwners(tx, organizationId, principal.caller.id, plan.writes),
    recordAudit(tx, actorOf(principal), {
      action: 'catalog.imported',
      target: organizationId,
      details: { items: plan.writes.map(({ kind, id, version }) => ({ entityType: kind, id, version })) },
    }),
  ])
  return { imported: plan.imported, problems, warnings }
}

function nothingImported(problems: Problem[]): string {
  const told = problems.slice(0, problemsTold).map(({ file, line, message }) => `${file}:${line}: ${message}`)
  const rest = problems.length > problemsTold ? [`and ${problems.length - problemsTold} more.`] : []
  return ['Nothing was imported.', ...(told.length > 0 ? told : ['The import is empty.']), ...rest].join(' ')
}

function textOf(document: unknown): string {
  if (typeof document === 'string') return document
  try {
    return JSON.stringify(document)
  } catch {
    throw invalid('The field openApi.document is nested too deeply.')
  }
}

async function fetchDocument(
  outbound: ImportDeps['outbound'],
  url: string,
): Promise<{ text: string; sourceUrl: string }> {
  try {
    const answer = await outbound.send({ method: 'GET', url, responseBytesMax: documentBytesMax })
    if (answer.status !== 200) {
      throw new AppError('catalog_invalid', `The address in openApi.url answered with the status ${answer.status}.`)
    }
    return { text: answer.body.toString('utf8'), sourceUrl: answer.url }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new AppError('catalog_invalid', `The document at openApi.url could not be read: ${error.message}`, {
      cause: error,
    })
  }
}
