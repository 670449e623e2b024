// The end of an item as it is recorded, and with it, of one that failed, its entry in the ledger.
import type { Json, JsonObject } from '../../lib/json.ts'
import type { RunClaim } from '../run.ts'
import type { NewAnswer } from '../webhook-answer.ts'
import { partitionStatement } from './partition-statement.ts'
import { type Column, unnestText } from './row-arrays.ts'

export type ItemRecord = {
  index: number
  key: string
  status: 'succeeded' | 'failed' | 'skipped'
  /** JSON text. */
  result: string | null
  /** Where values from the vault stand in the result. */
  vaultRanges?: string | undefined
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
  /** For so many days runs of the workflow skip the key. */
  remember?: { workflowId: string; days: number } | undefined
  answer?: NewAnswer | undefined
  /** What the ledger keeps of one that failed; absent where it is not to keep it. */
  failed?: { rootRunId: string; workflowId: string; runNumber: number; blockName: string; item: Json } | undefined
}

/** `unreached`: skipped, because the same item has failed in a block before. */
export type ItemEnd = ItemRecord['status'] | 'unreached'

/** Counts by index. `alone`: the item that runs while no other one does. */
export type ItemDeaths = { counts?: Record<string, number>; alone?: number }

export type SealedEntry = ItemEntry & { sealedItem: Buffer | undefined; sealedDeferred: Buffer | null }
export const columns: readonly Column<SealedEntry>[] = [
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
  ['vault_ranges', 'text', ({ record }) => record.vaultRanges],
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

export const allColumns = [...columns, ...failedColumns]
export const recordText = recordWith(columns, '')
export const recordFailedText = recordWith(allColumns, intoLedger)

function recordWith(given: readonly Column<SealedEntry>[], also: string) {
  return partitionStatement(
    (runs) => `
    with input as materialized (select * from ${unnestText(given, 'i')}),
    fenced as materialized (
      select r.id, r.attempt, r.status from ${runs} r
      where r.id in (select run_id from input) and r.ended_at is null order by r.id for no key update
    ), recorded as (
      insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at, sealed_deferred,
        vault_ranges, child_run)
      select i.run_id, i.block_id, i.item_index, i.account_id, i.key, i.status, i.result, i.error_message, i.log, i.calls, i.tries, i.started_at, i.ended_at, i.sealed_deferred,
        i.vault_ranges, i.child_run::jsonb
      from fenced f join input i on i.run_id = f.id and i.attempt = f.attempt
      on conflict do nothing
    )${also}
    select id, attempt, status from fenced`,
  )
}
