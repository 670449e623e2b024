// The lists of items and what became of each. Every write is fenced: it changes nothing unless the run is still at the attempt of its writer.
import { type Db, isAway, type Queryable, sql, type Tx } from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import type { Json } from '../../lib/json.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import { claimKey, type RunClaim, type RunStatus } from '../run.ts'
import type { NewAnswer } from '../webhook-answer.ts'
import { takeOverByKey } from './carry-items.ts'
import { sealItem } from './failed-item-store.ts'
import {
  allColumns,
  columns,
  type ItemDeaths,
  type ItemDeferred,
  type ItemEnd,
  type ItemEntry,
  recordFailedText,
  recordText,
  type SealedEntry,
} from './item-entry.ts'
import { toChunks } from './list-chunks.ts'
import { persist } from './persist.ts'
import { findRemembered, type RememberedResult, rememberItems } from './remembered-store.ts'
import { columnArrays } from './row-arrays.ts'

export type ListedItem = { key: string; item: Json }

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
    // A single statement is a transaction of its own.
    if (!entries.some(({ answer, remember }) => answer || remember)) return this.#insertAll(this.#db, entries)
    return this.#db.transaction(async (tx) => {
      const statuses = await this.#insertAll(tx, entries)
      const mine = entries.filter((_entry, at) => statuses[at] !== undefined)
      await rememberItems(
        tx,
        mine.flatMap(({ accountId, blockId, record, remember }) =>
          remember && record.status === 'succeeded' ? [{ accountId, blockId, record, ...remember }] : [],
        ),
      )
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

  /** Results of the keys that are remembered. */
  findRemembered(
    at: Parameters<typeof findRemembered>[1],
    keys: readonly string[],
  ): Promise<Map<string, RememberedResult>> {
    return findRemembered(this.#db, at, keys)
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
    const { rows } = await this.#db.query<{ item_index: number; status: ItemEnd }>(sql`
      select item_index, case when status = 'skipped' and result is null then 'unreached' else status end as status from run_items
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} order by ended_at, item_index`)
    return rows.map((row) => ({ index: row.item_index, status: row.status }))
  }

  async listResults({ accountId, runId, blockId }: At): Promise<{ json: string; ranges: string | null }[]> {
    const { rows } = await this.#db.query<{ result: string | null; vault_ranges: string | null }>(sql`
      select result, vault_ranges from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status <> 'failed' and result is not null order by item_index`)
    return rows.map(({ result, vault_ranges }) => ({ json: result ?? 'null', ranges: vault_ranges }))
  }

  /** Of all blocks of a scope; an item that failed in two of them counts once. */
  async countFailed({ accountId, runId }: Omit<At, 'blockId'>, blockIds: readonly string[]): Promise<number> {
    const { rows } = await this.#db.query<{ count: number }>(sql`
      select count(distinct item_index)::integer as count from run_items
      where run_id = ${runId} and block_id = any(${blockIds}::uuid[]) and account_id = ${accountId} and status = 'failed'`)
    return rows[0]?.count ?? 0
  }

  /** JSON texts of what one item returned in each of the blocks, by block. */
  async listResultsOf({ accountId, runId }: Omit<At, 'blockId'>, blockIds: readonly string[], index: number) {
    const { rows } = await this.#db.query<{ block_id: string; result: string }>(sql`
      select block_id, result from run_items
      where run_id = ${runId} and block_id = any(${blockIds}::uuid[]) and item_index = ${index} and account_id = ${accountId} and result is not null`)
    return new Map(rows.map((row) => [row.block_id, row.result]))
  }

  /** Of the items whose results are collected, in the order of the list. */
  async listKeys({ accountId, runId, blockId }: At): Promise<string[]> {
    const { rows } = await this.#db.query<{ key: string }>(sql`
      select key from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status <> 'failed' and result is not null order by item_index`)
    return rows.map(({ key }) => key)
  }

  async listFailed({ accountId, runId }: Omit<At, 'blockId'>, blockIds: readonly string[], count: number) {
    const { rows } = await this.#db.query<{ key: string; error_message: string | null }>(sql`
      select key, error_message from run_items
      where run_id = ${runId} and block_id = any(${blockIds}::uuid[]) and account_id = ${accountId} and status = 'failed'
      order by item_index limit ${count}`)
    return rows.map((row) => ({ key: row.key, message: row.error_message ?? '' }))
  }

  /** Which items were in progress when workers died, and how often. */
  async findDeaths({ accountId, runId, blockId }: At): Promise<ItemDeaths> {
    const { rows } = await this.#db.query<{ deaths: ItemDeaths | null }>(sql`
      select deaths from run_item_lists
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} and chunk = 0`)
    return rows[0]?.deaths ?? {}
  }

  async putDeaths({ accountId, runId, blockId }: At, deaths: ItemDeaths): Promise<void> {
    await this.#db.query(sql`
      update run_item_lists set deaths = ${JSON.stringify(deaths)}
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} and chunk = 0`)
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

/** The same in all retries. */
function placeOf(at: { rootId: string; blockId: string; accountId: string }, key: string): Place {
  const rowId = `${at.rootId}/${at.blockId}/${key}`
  return { table: 'run_items', column: 'sealed_deferred', rowId, accountId: at.accountId }
}
