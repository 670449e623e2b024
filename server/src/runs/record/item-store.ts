// The lists of items and what became of each. Every write is fenced: it changes nothing unless the run is still at the attempt of its writer.
import { type Db, isAway, type Queryable, sql, type Tx } from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import { claimKey, type RunClaim, type RunStatus } from '../run.ts'
import type { NewAnswer } from '../webhook-answer.ts'
import { takeOverByKey } from './carry-items.ts'
import { sealItem } from './failed-item-store.ts'
import { partitionStatement } from './partition-statement.ts'
import { persist } from './persist.ts'
import { type Column, columnArrays, unnestText } from './row-arrays.ts'

export type ListedItem = { key: string; item: Json }

export type ItemRecord = {
  index: number
  key: string
  status: 'succeeded' | 'failed' | 'skipped'
  /** JSON text. */
  result: string | null
  errorMessage: string | null
  log: string | null
  calls: string | null
  tries: number
  startedAt: Date
  endedAt: Date
  /** The run of another workflow that it started. */
  childRun?: { workflowId: string; runNumber: number }
}

/** Vault values for the end of the run. */
export type ItemDeferred = { vault: JsonObject; vaultGlobal: JsonObject }

/** `answer`: to the webhook request of the run. */
export type ItemEntry = {
  claim: RunClaim
  accountId: string
  /** The first run of a row of retries. */
  rootId: string
  blockId: string
  record: ItemRecord
  deferred?: ItemDeferred | undefined
  answer?: NewAnswer | undefined
  /** What the ledger keeps of one that failed; absent where it is not to keep it. */
  failed?: { rootRunId: string; workflowId: string; runNumber: number; blockName: string; item: Json } | undefined
}

type SealedEntry = ItemEntry & { sealedItem: Buffer | undefined; sealedDeferred: Buffer | null }
type At = { accountId: string; runId: string; blockId: string }

/** `lanes`: how many items run at the same time. `sameAs`: the block whose list it is. */
type NewList = { accountId: string; rootId: string; blockId: string; lanes: number; sameAs?: string | undefined }

export type FoundList = { list: ListedItem[]; usedMs: number }

type Deps = {
  db: Db
  keyRing: KeyRing
  answers: { insert(tx: Tx, answers: readonly NewAnswer[]): Promise<void> }
  onFault(error: unknown): void
}

const columns: readonly Column<SealedEntry>[] = [
  ['run_id', 'uuid', ({ claim }) => claim.runId],
  ['attempt', 'integer', ({ claim }) => claim.attempt],
  ['block_id', 'uuid', ({ blockId }) => blockId],
  ['item_index', 'integer', ({ record }) => record.index],
  ['account_id', 'uuid', ({ accountId }) => accountId],
  ['key', 'text', ({ record }) => record.key],
  ['status', 'text', ({ record }) => record.status],
  ['result', 'text', ({ record }) => record.result],
  ['error_message', 'text', ({ record }) => record.errorMessage],
  ['log', 'text', ({ record }) => record.log],
  ['calls', 'text', ({ record }) => record.calls],
  ['tries', 'integer', ({ record }) => record.tries],
  ['started_at', 'timestamptz', ({ record }) => record.startedAt.toISOString()],
  ['ended_at', 'timestamptz', ({ record }) => record.endedAt.toISOString()],
  ['sealed_deferred', 'bytea', ({ sealedDeferred }) => sealedDeferred],
  ['child_run', 'text', ({ record }) => (record.childRun ? JSON.stringify(record.childRun) : null)],
]

const failedColumns: readonly Column<SealedEntry>[] = [
  ['root_run_id', 'uuid', ({ failed }) => failed?.rootRunId],
  ['workflow_id', 'uuid', ({ failed }) => failed?.workflowId],
  ['run_number', 'integer', ({ failed }) => failed?.runNumber],
  ['block_name', 'text', ({ failed }) => failed?.blockName],
  ['sealed_item', 'bytea', ({ sealedItem }) => sealedItem ?? null],
]

/** An item that fails in a retry has its entry already, that of the first run. */
const intoLedger = `, ledger as (
      insert into failed_items (root_run_id, block_id, key, account_id, workflow_id, run_id, run_number, block_name, item_index, error_message, tries,
        failed_at, sealed_item)
      select i.root_run_id, i.block_id, i.key, i.account_id, i.workflow_id, i.run_id, i.run_number, i.block_name, i.item_index,
        coalesce(i.error_message, ''), i.tries, i.ended_at, i.sealed_item
      from fenced f join input i on i.run_id = f.id and i.attempt = f.attempt where i.sealed_item is not null
      on conflict do nothing
    )`

const allColumns = [...columns, ...failedColumns]
const recordText = recordWith(columns, '')
const recordFailedText = recordWith(allColumns, intoLedger)

function recordWith(given: readonly Column<SealedEntry>[], also: string) {
  return partitionStatement(
    (runs) => `
    with input as materialized (select * from ${unnestText(given, 'i')}),
    fenced as materialized (
      select r.id, r.attempt, r.status from ${runs} r
      where r.id in (select run_id from input) and r.ended_at is null order by r.id for no key update
    ), recorded as (
      insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at, sealed_deferred,
        child_run)
      select i.run_id, i.block_id, i.item_index, i.account_id, i.key, i.status, i.result, i.error_message, i.log, i.calls, i.tries, i.started_at, i.ended_at, i.sealed_deferred,
        i.child_run::jsonb
      from fenced f join input i on i.run_id = f.id and i.attempt = f.attempt
      on conflict do nothing
    )${also}
    select id, attempt, status from fenced`,
  )
}

/** Of one list, a chunk holds about so many characters. */
const chunkCharacters = 500_000

export class ItemRecords {
  readonly #deps: Deps
  readonly #db: Db
  readonly #ends: GroupCommit<SealedEntry, RunStatus | undefined>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#db = deps.db
    this.#ends = new GroupCommit<SealedEntry, RunStatus | undefined>((entries) => this.#recordAll(entries), {
      batchesAtOnce: 2,
      itemsMax: 200,
      weight: {
        of: ({ record, sealedItem }) =>
          (record.result?.length ?? 0) + (record.log?.length ?? 0) + (sealedItem?.length ?? 0),
        max: 2_000_000,
      },
      isShared: isAway,
    })
  }

  /** The status of the run, or undefined when another worker owns it now. */
  async record(entry: ItemEntry): Promise<RunStatus | undefined> {
    const { failed, deferred, record } = entry
    const at = { ...entry, rootRunId: entry.rootId, key: record.key }
    const sealedItem = failed && (await sealItem(this.#deps.keyRing, at, { item: failed.item, calls: record.calls }))
    const sealedDeferred = deferred ? await this.#seal(entry, deferred) : null
    return persist(this.#deps.onFault, () => this.#ends.add({ ...entry, sealedItem, sealedDeferred }))
  }

  async #recordAll(entries: SealedEntry[]): Promise<(RunStatus | undefined)[]> {
    const answering = entries.filter(({ answer }) => answer)
    if (answering.length === 0) return this.#insertAll(this.#db, entries)
    return this.#db.transaction(async (tx) => {
      const statuses = await this.#insertAll(tx, entries)
      const answers = entries.flatMap(({ answer }, at) => (answer && statuses[at] !== undefined ? [answer] : []))
      if (answers.length > 0) await this.#deps.answers.insert(tx, answers)
      return statuses
    })
  }

  async #insertAll(db: Queryable, entries: SealedEntry[]): Promise<(RunStatus | undefined)[]> {
    const statuses = new Map<string, RunStatus>()
    for (const [partition, those] of Map.groupBy(entries, ({ claim }) => claim.partition)) {
      const statement = those.some(({ sealedItem }) => sealedItem)
        ? recordFailedText(partition, columnArrays(allColumns, those))
        : recordText(partition, columnArrays(columns, those))
      const { rows } = await db.query<{ id: string; attempt: number; status: RunStatus }>(statement)
      for (const { id, attempt, status } of rows) statuses.set(claimKey({ runId: id, attempt }), status)
    }
    return entries.map(({ claim }) => statuses.get(claimKey(claim)))
  }

  #seal(entry: ItemEntry, deferred: ItemDeferred): Promise<Buffer> {
    const { record } = entry
    return this.#deps.keyRing.seal(placeOf(entry, record.key), Buffer.from(JSON.stringify(deferred)))
  }

  /** In the order of the list. */
  async listDeferred(at: At & { rootId: string }): Promise<ItemDeferred[]> {
    const { rows } = await this.#db.query<{ key: string; sealed_deferred: Buffer }>(sql`
      select key, sealed_deferred from run_items where run_id = ${at.runId} and block_id = ${at.blockId} and account_id = ${at.accountId}
        and status <> 'failed' and sealed_deferred is not null order by item_index`)
    const opened: ItemDeferred[] = []
    for (const row of rows)
      opened.push(JSON.parse(String(await this.#deps.keyRing.open(placeOf(at, row.key), row.sealed_deferred))))
    return opened
  }

  /** False when another worker owns the run now. Of a retry, items that ended well in a run before it are taken over. */
  async putList(claim: RunClaim, at: NewList, list: readonly ListedItem[]): Promise<boolean> {
    const { accountId, rootId, blockId } = at
    const { runId } = claim
    return this.#db.transaction(async (tx) => {
      const { rowCount } = await tx.query(sql`
        select from runs where id = ${runId} and attempt = ${claim.attempt} and ended_at is null for no key update`)
      if (rowCount === 0) return false
      await insertList(tx, { ...at, runId }, list)
      if (rootId !== runId) {
        const keys = list.map(({ key }) => key)
        await takeOverByKey(tx, { runId, rootId, accountId, blockId }, keys)
      }
      return true
    })
  }

  async findList({ accountId, runId, blockId }: At): Promise<FoundList | undefined> {
    const { rows } = await this.#db.query<{ content: string; used_ms: number }>(sql`
      select content, used_ms::float8 as used_ms from run_item_lists
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} order by chunk`)
    if (rows.length === 0) return undefined
    const list = rows.flatMap(({ content }) =>
      (JSON.parse(content) as [string, Json][]).map(([key, item]) => ({ key, item })),
    )
    return { list, usedMs: rows[0]?.used_ms ?? 0 }
  }

  async hasList({ accountId, runId, blockId }: At): Promise<boolean> {
    const { rowCount } = await this.#db.query(sql`
      select from run_item_lists where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} and chunk = 0`)
    return rowCount > 0
  }

  /** What a worker that puts the block aside leaves for the next. */
  async addUse({ accountId, runId, blockId }: At, use: { ms: number; lanes: number }): Promise<void> {
    await this.#db.query(sql`
      update run_item_lists set used_ms = used_ms + ${Math.round(use.ms)}, lanes = ${use.lanes}
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} and chunk = 0`)
  }

  async listEnded({ accountId, runId, blockId }: At) {
    const { rows } = await this.#db.query<{ item_index: number; status: ItemRecord['status'] }>(sql`
      select item_index, status from run_items
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} order by ended_at, item_index`)
    return rows.map((row) => ({ index: row.item_index, status: row.status }))
  }

  async listResults({ accountId, runId, blockId }: At): Promise<string[]> {
    const { rows } = await this.#db.query<{ result: string | null }>(sql`
      select result from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status <> 'failed' and result is not null order by item_index`)
    return rows.map(({ result }) => result ?? 'null')
  }

  async listFailed({ accountId, runId, blockId }: At, count: number) {
    const { rows } = await this.#db.query<{ key: string; error_message: string | null }>(sql`
      select key, error_message from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status = 'failed' order by item_index limit ${count}`)
    return rows.map((row) => ({ key: row.key, message: row.error_message ?? '' }))
  }

  /** Items that were in progress when a worker died, one death more for each. Returns the counts. */
  async addDeaths(at: At, indexes: readonly number[]) {
    const { rows } = await this.#db.query<{ deaths: Record<string, number> | null }>(sql`
      update run_item_lists l set deaths = coalesce(l.deaths, '{}') || coalesce((
          select jsonb_object_agg(i::text, coalesce((l.deaths ->> i::text)::integer, 0) + 1) from unnest(${indexes}::integer[]) i
        ), '{}')
      where run_id = ${at.runId} and block_id = ${at.blockId} and account_id = ${at.accountId} and chunk = 0 returning deaths`)
    return rows[0]?.deaths ?? {}
  }
}

export async function insertList(
  tx: Queryable,
  { runId, accountId, blockId, lanes, sameAs }: Omit<NewList, 'rootId'> & { runId: string },
  list: readonly ListedItem[],
): Promise<void> {
  const chunks = sameAs === undefined ? toChunks(list) : [{ firstIndex: 0, content: '[]' }]
  for (const [chunk, { firstIndex, content }] of chunks.entries())
    await tx.query(sql`
      insert into run_item_lists (run_id, block_id, chunk, account_id, total, first_index, content, lanes, same_as)
      values (${runId}, ${blockId}, ${chunk}, ${accountId}, ${list.length}, ${firstIndex}, ${content}, ${lanes}, ${sameAs ?? null})
      on conflict do nothing`)
}

function toChunks(list: readonly ListedItem[]): { firstIndex: number; content: string }[] {
  const chunks: { firstIndex: number; content: string }[] = []
  let texts: string[] = []
  let characters = 0
  let firstIndex = 0
  const close = (next: number) => {
    chunks.push({ firstIndex, content: `[${texts.join(',')}]` })
    texts = []
    characters = 0
    firstIndex = next
  }
  for (const [index, { key, item }] of list.entries()) {
    const text = JSON.stringify([key, item])
    if (characters > 0 && characters + text.length > chunkCharacters) close(index)
    texts.push(text)
    characters += text.length
  }
  if (texts.length > 0 || chunks.length === 0) close(list.length)
  return chunks
}

/** The same in all retries. */
function placeOf(at: { rootId: string; blockId: string; accountId: string }, key: string): Place {
  const rowId = `${at.rootId}/${at.blockId}/${key}`
  return { table: 'run_items', column: 'sealed_deferred', rowId, accountId: at.accountId }
}
