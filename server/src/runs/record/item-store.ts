// The lists of items and what became of each. Every write is fenced: it changes nothing unless the run is still at the attempt of its writer.
import { type Db, isAway, type Queryable, sql } from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import type { Json } from '../../lib/json.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { claimKey, type RunClaim, type RunStatus } from '../run.ts'
import { sealItem } from './failed-item-store.ts'
import { partitionStatement } from './partition-statement.ts'
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
}

/** `failed`: what the ledger keeps of one that failed; absent where it is not to keep it. */
type ItemEntry = {
  claim: RunClaim
  accountId: string
  blockId: string
  record: ItemRecord
  failed?: { rootRunId: string; workflowId: string; runNumber: number; blockName: string; item: Json } | undefined
}
type SealedEntry = ItemEntry & { sealed?: Buffer }

const columns: readonly Column<ItemEntry>[] = [
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
]

const failedColumns: readonly Column<SealedEntry>[] = [
  ['root_run_id', 'uuid', ({ failed }) => failed?.rootRunId],
  ['workflow_id', 'uuid', ({ failed }) => failed?.workflowId],
  ['run_number', 'integer', ({ failed }) => failed?.runNumber],
  ['block_name', 'text', ({ failed }) => failed?.blockName],
  ['sealed_item', 'bytea', ({ sealed }) => sealed ?? null],
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
      insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at)
      select i.run_id, i.block_id, i.item_index, i.account_id, i.key, i.status, i.result, i.error_message, i.log, i.calls, i.tries, i.started_at, i.ended_at
      from fenced f join input i on i.run_id = f.id and i.attempt = f.attempt
      on conflict do nothing
    )${also}
    select id, attempt, status from fenced`,
  )
}

/** Of one list, a chunk holds about so many characters. */
const chunkCharacters = 500_000

export class ItemRecords {
  readonly #db: Db
  readonly #keyRing: Pick<KeyRing, 'seal'>
  readonly #ends: GroupCommit<SealedEntry, RunStatus | undefined>

  constructor(db: Db, keyRing: Pick<KeyRing, 'seal'>) {
    this.#db = db
    this.#keyRing = keyRing
    this.#ends = new GroupCommit<SealedEntry, RunStatus | undefined>((entries) => this.#recordAll(entries), {
      batchesAtOnce: 2,
      itemsMax: 200,
      weight: {
        of: ({ record, sealed }) => (record.result?.length ?? 0) + (record.log?.length ?? 0) + (sealed?.length ?? 0),
        max: 2_000_000,
      },
      isShared: isAway,
    })
  }

  /** The status of the run, or undefined when another worker owns it now. */
  async record(entry: ItemEntry): Promise<RunStatus | undefined> {
    const { failed, blockId, accountId, record } = entry
    if (!failed) return this.#ends.add(entry)
    const at = { rootRunId: failed.rootRunId, blockId, key: record.key, accountId }
    const sealed = await sealItem(this.#keyRing, at, { item: failed.item, calls: record.calls })
    return this.#ends.add({ ...entry, sealed })
  }

  async #recordAll(entries: SealedEntry[]): Promise<(RunStatus | undefined)[]> {
    const statuses = new Map<string, RunStatus>()
    for (const [partition, those] of Map.groupBy(entries, ({ claim }) => claim.partition)) {
      const statement = those.some(({ sealed }) => sealed)
        ? recordFailedText(partition, columnArrays(allColumns, those))
        : recordText(partition, columnArrays(columns, those))
      const { rows } = await this.#db.query<{ id: string; attempt: number; status: RunStatus }>(statement)
      for (const { id, attempt, status } of rows) statuses.set(claimKey({ runId: id, attempt }), status)
    }
    return entries.map(({ claim }) => statuses.get(claimKey(claim)))
  }

  /** False when another worker owns the run now. */
  async putList(
    claim: RunClaim,
    at: { accountId: string; blockId: string },
    list: readonly ListedItem[],
  ): Promise<boolean> {
    const chunks = toChunks(list)
    return this.#db.transaction(async (tx) => {
      const { rowCount } = await tx.query(sql`
        select from runs where id = ${claim.runId} and attempt = ${claim.attempt} and ended_at is null for no key update`)
      if (rowCount === 0) return false
      for (const [chunk, { firstIndex, content }] of chunks.entries())
        await tx.query(sql`
          insert into run_item_lists (run_id, block_id, chunk, account_id, total, first_index, content)
          values (${claim.runId}, ${at.blockId}, ${chunk}, ${at.accountId}, ${list.length}, ${firstIndex}, ${content})
          on conflict do nothing`)
      return true
    })
  }

  async findList(accountId: string, runId: string, blockId: string): Promise<ListedItem[] | undefined> {
    const { rows } = await this.#db.query<{ content: string }>(sql`
      select content from run_item_lists
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} order by chunk`)
    if (rows.length === 0) return undefined
    return rows.flatMap(({ content }) =>
      (JSON.parse(content) as [string, Json][]).map(([key, item]) => ({ key, item })),
    )
  }

  async listEnded(accountId: string, runId: string, blockId: string) {
    const { rows } = await this.#db.query<{ item_index: number; status: ItemRecord['status'] }>(sql`
      select item_index, status from run_items
      where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} order by ended_at, item_index`)
    return rows.map((row) => ({ index: row.item_index, status: row.status }))
  }

  async listResults(accountId: string, runId: string, blockId: string): Promise<string[]> {
    const { rows } = await this.#db.query<{ result: string | null }>(sql`
      select result from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status in ('succeeded', 'skipped') order by item_index`)
    return rows.map(({ result }) => result ?? 'null')
  }

  async listFailed(accountId: string, runId: string, blockId: string, count: number) {
    const { rows } = await this.#db.query<{ key: string; error_message: string | null }>(sql`
      select key, error_message from run_items where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}
        and status = 'failed' order by item_index limit ${count}`)
    return rows.map((row) => ({ key: row.key, message: row.error_message ?? '' }))
  }

  /** Items that were in progress when a worker died, one death more for each. Returns the counts. */
  async addDeaths(accountId: string, at: { runId: string; blockId: string }, indexes: readonly number[]) {
    const { rows } = await this.#db.query<{ deaths: Record<string, number> | null }>(sql`
      update run_item_lists l set deaths = coalesce(l.deaths, '{}') || coalesce((
          select jsonb_object_agg(i::text, coalesce((l.deaths ->> i::text)::integer, 0) + 1) from unnest(${indexes}::integer[]) i
        ), '{}')
      where run_id = ${at.runId} and block_id = ${at.blockId} and account_id = ${accountId} and chunk = 0 returning deaths`)
    return rows[0]?.deaths ?? {}
  }
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

/** Of one run that takes the items of another over: those that ended well, and the list. */
export async function copyItems(
  tx: Queryable,
  copy: { fromRunId: string; toRunId: string; accountId: string; blockIds: readonly string[] },
): Promise<void> {
  if (copy.blockIds.length === 0) return
  await tx.query(sql`
    insert into run_item_lists (run_id, block_id, chunk, account_id, total, first_index, content)
    select ${copy.toRunId}, block_id, chunk, account_id, total, first_index, content from run_item_lists
    where run_id = ${copy.fromRunId} and account_id = ${copy.accountId} and block_id = any(${copy.blockIds}::uuid[])`)
  await tx.query(sql`
    insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at)
    select ${copy.toRunId}, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at
    from run_items where run_id = ${copy.fromRunId} and account_id = ${copy.accountId} and status <> 'failed'
      and block_id = any(${copy.blockIds}::uuid[])`)
}

/** What is left of runs that retention has removed. */
export async function deleteOrphans(db: Queryable): Promise<void> {
  await db.query(sql`
    with gone as materialized (
      select l.run_id from run_item_lists l where l.chunk = 0 and not exists (select from runs r where r.id = l.run_id) limit 100
    ), items as (delete from run_items i using gone g where i.run_id = g.run_id)
    delete from run_item_lists l using gone g where l.run_id = g.run_id`)
}
