import { type AnswerOf, type BodyOf, type Operations, type RunStatusName, readPage } from '@patchbay/contract'
import { accountName, accountsInReach, type Principal, type Reach, reachOf } from '../../access/index.ts'
import { ContentAwayError, type Contents } from '../../contents/index.ts'
import { type Database, type Queryable, readOneMoment, sql, type Tx } from '../../db/index.ts'
import { invalid, notFound } from '../../lib/app-error.ts'
import { findRunStates, loadExcerpts, type PlaceOfText } from '../../runs/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { findWebhookOutcomes, loadWebhookTexts } from '../../webhooks/index.ts'
import { findBlockNames, findWorkflowNames } from '../../workflows/index.ts'
import { hashTerms } from '../index-format/term-hash.ts'
import { termsToFind } from '../index-format/words.ts'
import { findMatches, type Match, type Wanted } from './matches.ts'
import { snippetOf } from './snippet.ts'

export type SearchDeps = { database: Database; keyRing: KeyRing; contents: Pick<Contents, 'read'> }
type Search = BodyOf<Operations['SearchRuns']>
type Answer = AnswerOf<Operations['SearchRuns']>

/** A match whose run or request is still kept. `revision` is null for payloads. */
type Kept = Match & { status: RunStatusName | null; revision: number | null }

const wordsMax = 20
/** How far a list can be paged; whoever looks further narrows the search instead. */
const itemsMax = 10_000
const excerptCharacters = 4_000

export async function searchRuns(deps: SearchDeps, principal: Principal, search: Search): Promise<Answer> {
  const terms = readTerms(search.searchTerm)
  const { page, size } = readPage(search)
  if ((page + 1) * size > itemsMax) {
    throw invalid(
      `Only the first ${itemsMax} items can be listed. Narrow the search by time, workflow or another word.`,
    )
  }
  const reach = reachOf(principal, search.acrossAccounts)
  const db = reach.kind === 'account' ? deps.database.forScope(reach) : deps.database.system
  const accounts = await listAccounts(db, reach)
  if (search.workflowId !== undefined) await requireWorkflow(db, reach, search.workflowId)
  const wanted = await readWanted(deps.keyRing, [...accounts.keys()], terms, search)
  if (wanted.hashes.size === 0) return { items: [], isLast: true }
  const found = await readOneMoment(db, (tx) => collect(tx, wanted, (page + 1) * size + 1))
  const shown = found.slice(page * size, (page + 1) * size)
  return {
    items: await describe(deps, db, shown, {
      term: terms[0] as string,
      accounts: search.acrossAccounts ? accounts : undefined,
    }),
    isLast: found.length <= (page + 1) * size,
  }
}

function readTerms(searchTerm: string): string[] {
  const terms = termsToFind(searchTerm)
  if (terms.length === 0) throw invalid('The field searchTerm must contain a letter or a digit.')
  if (terms.length > wordsMax) throw invalid(`The field searchTerm may contain at most ${wordsMax} words.`)
  return terms
}

type Accounts = ReadonlyMap<string, { name: string; email: string }>

/** Of the accounts in reach those that have anything to find. */
async function listAccounts(db: Queryable, reach: Reach): Promise<Accounts> {
  const { rows } = await db.query<{ id: string; name: string; email: string }>(sql`
    select a.id, ${accountName} as name, a.email from accounts a
    where ${accountsInReach(reach)} and exists (select from search_segments s where s.account_id = a.id)`)
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]))
}

/** Also there when nothing of its account can be found yet. */
async function requireWorkflow(db: Queryable, reach: Reach, workflowId: string): Promise<void> {
  const { rowCount } = await db.query(sql`
    select from workflows w join accounts a on a.id = w.account_id where w.id = ${workflowId} and ${accountsInReach(reach)}`)
  if (rowCount === 0) throw notFound('workflow')
}

async function readWanted(
  keyRing: KeyRing,
  accountIds: readonly string[],
  terms: readonly string[],
  search: Search,
): Promise<Wanted> {
  const fromMs = toMs(search.searchFrom)
  const untilMs = toMs(search.searchTo)
  if (fromMs !== undefined && untilMs !== undefined && untilMs < fromMs) {
    throw invalid('The field searchTo must not be before searchFrom.')
  }
  const keys = await Promise.all(accountIds.map((id) => keyRing.derivedKey(id, 'search')))
  const hashes = new Map(accountIds.map((id, index) => [id, hashTerms(keys[index] as Buffer, terms)]))
  const where = search.in && new Set<string>(search.in)
  return {
    filter: { accountIds, workflowId: search.workflowId, fromMs, toMs: untilMs },
    hashes,
    accepts: ({ place, atMs }) =>
      (!where || where.has(place)) &&
      (fromMs === undefined || atMs >= fromMs) &&
      (untilMs === undefined || atMs < untilMs),
  }
}

function toMs(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp)
}

/** In one moment: segments are merged all the time, and what was read of one would otherwise not fit the rest. */
async function collect(tx: Tx, wanted: Wanted, count: number): Promise<Kept[]> {
  const kept: Kept[] = []
  for await (const matches of findMatches(tx, wanted)) {
    for (let at = 0; at < matches.length && kept.length < count; ) {
      const some = matches.slice(at, at + count - kept.length)
      kept.push(...(await keepPresent(tx, some)))
      at += some.length
    }
    if (kept.length >= count) break
  }
  return kept
}

/** What retention has taken away meanwhile may still be in a segment; nobody is shown it. */
async function keepPresent(db: Queryable, matches: readonly Match[]): Promise<Kept[]> {
  const idsOf = (isPayload: boolean) =>
    matches.filter(({ place }) => (place === 'webhook') === isPayload).map(({ subjectId }) => subjectId)
  const [runs, webhooks] = await Promise.all([findRunStates(db, idsOf(false)), findWebhookOutcomes(db, idsOf(true))])
  return matches.flatMap((match): Kept[] => {
    if (match.place === 'webhook') {
      const outcome = webhooks.get(match.subjectId)
      return outcome ? [{ ...match, ...outcome, revision: null }] : []
    }
    const run = runs.get(match.subjectId)
    return run ? [{ ...match, ...run }] : []
  })
}

async function describe(
  deps: SearchDeps,
  db: Queryable,
  shown: readonly Kept[],
  { term, accounts }: { term: string; accounts: Accounts | undefined },
): Promise<Answer['items']> {
  const inBlocks = shown.flatMap(({ workflowId, revision, blockId }) =>
    revision === null || blockId === null ? [] : [{ workflowId, revision, blockId }],
  )
  const [workflowNames, blockNames, snippets] = await Promise.all([
    findWorkflowNames(
      db,
      shown.map(({ workflowId }) => workflowId),
    ),
    findBlockNames(db, inBlocks),
    makeSnippets(deps, db, shown, term),
  ])
  return shown.map((match, index) => ({
    ...(accounts && {
      accountId: match.accountId,
      accountName: accounts.get(match.accountId)?.name ?? '',
      accountEmail: accounts.get(match.accountId)?.email ?? '',
    }),
    workflowId: match.workflowId,
    workflowName: workflowNames.get(match.workflowId) ?? '',
    runNumber: match.runNumber,
    webhookId: match.place === 'webhook' ? match.subjectId : null,
    uniqueBlockId: match.blockId,
    blockName: blockNames.get(`${match.workflowId}/${match.revision}/${match.blockId}`) ?? null,
    where: match.place,
    snippet: snippets[index] as string,
    dateTimeUTC: new Date(match.atMs).toISOString(),
    status: match.status,
  }))
}

/** Only what is shown is read, and only of the payloads on the page anything is opened. */
async function makeSnippets(
  { keyRing, contents }: SearchDeps,
  db: Queryable,
  shown: readonly Kept[],
  term: string,
): Promise<string[]> {
  const payloadIds = shown.filter(({ place }) => place === 'webhook').map(({ subjectId }) => subjectId)
  const inRuns = shown.filter(({ place }) => place !== 'webhook')
  const [payloads, excerpts] = await Promise.all([
    payloadIds.length === 0 ? [] : loadWebhookTexts(db, keyRing, payloadIds).catch(nothingWhileAway),
    loadExcerpts(
      { db, contents },
      inRuns.map(({ subjectId, ...rest }) => ({ ...rest, runId: subjectId }) as PlaceOfText),
      term,
      excerptCharacters,
    ),
  ])
  const textOfPayload = new Map(payloads.map(({ webhookId, text }) => [webhookId, text]))
  const textInRun = new Map(inRuns.map((match, index) => [match, excerpts[index] ?? '']))
  return shown.map((match) =>
    snippetOf((match.place === 'webhook' ? textOfPayload.get(match.subjectId) : textInRun.get(match)) ?? '', term),
  )
}

/** A match is shown without its surroundings while they cannot be read. */
function nothingWhileAway(error: unknown): [] {
  if (error instanceof ContentAwayError) return []
  throw error
}
