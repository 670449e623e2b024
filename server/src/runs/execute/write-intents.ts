// Writes are noted before they are sent: a block is recorded at its end, and a worker that dies in the middle of one would otherwise leave
// no trace of what it had sent. One statement serves all blocks that write at the same moment. It does not wait for the disk: the note
// outlives every process of the service, and only a database that dies within the next moments may lose it; the stable Idempotency-Key
// that goes with the write is there for that case, too.
import { type Db, isAway } from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import { partitionStatement } from '../record/partition-statement.ts'
import { type Column, columnArrays, unnestText } from '../record/row-arrays.ts'
import { claimKey, type RunClaim } from '../run.ts'

export type WriteIntent = {
  claim: RunClaim
  accountId: string
  blockId: string
  method: string
  url: string
  idempotencyKey: string
  sentAt: Date
}

const columns: readonly Column<WriteIntent>[] = [
  ['run_id', 'uuid', ({ claim }) => claim.runId],
  ['attempt', 'integer', ({ claim }) => claim.attempt],
  ['block_id', 'uuid', ({ blockId }) => blockId],
  ['account_id', 'uuid', ({ accountId }) => accountId],
  ['method', 'text', ({ method }) => method],
  ['url', 'text', ({ url }) => url],
  ['idempotency_key', 'text', ({ idempotencyKey }) => idempotencyKey],
  ['sent_at', 'timestamptz', ({ sentAt }) => sentAt.toISOString()],
]

const noteText = partitionStatement(
  (runs) => `
    with hasty as materialized (select set_config('synchronous_commit', 'off', true)),
    held as (
      select i.* from ${unnestText(columns, 'i')} join ${runs} r on r.id = i.run_id and r.attempt = i.attempt and r.ended_at is null
      where exists (select from hasty)
    )
    insert into run_writes (run_id, attempt, block_id, account_id, method, url, idempotency_key, sent_at)
    select run_id, attempt, block_id, account_id, method, url, idempotency_key, sent_at from held returning run_id, attempt`,
)

export class WriteIntents {
  readonly #notes: GroupCommit<WriteIntent, boolean>

  constructor(db: Db) {
    this.#notes = new GroupCommit<WriteIntent, boolean>((intents) => insertAll(db, intents), {
      batchesAtOnce: 2,
      itemsMax: 200,
      isShared: isAway,
    })
  }

  /** False when another worker owns the run now: then nothing may be sent on its behalf. */
  note(intent: WriteIntent): Promise<boolean> {
    return this.#notes.add(intent)
  }
}

async function insertAll(db: Db, intents: WriteIntent[]): Promise<boolean[]> {
  const held = new Set<string>()
  const partitions = Map.groupBy(intents, ({ claim }) => claim.partition)
  await Promise.all(
    [...partitions].map(async ([partition, those]) => {
      const { rows } = await db.query<{ run_id: string; attempt: number }>(
        noteText(partition, columnArrays(columns, those)),
      )
      for (const { run_id, attempt } of rows) held.add(claimKey({ runId: run_id, attempt }))
    }),
  )
  return intents.map(({ claim }) => held.has(claimKey(claim)))
}
