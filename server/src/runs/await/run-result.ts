// How a run ended and what its result is: that of the output block of the revision it ran.
import type { Contents } from '../../contents/index.ts'
import { type Database, sql } from '../../db/index.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { DefinitionCache } from '../execute/definition-cache.ts'
import { findBlock } from '../history/history-store.ts'
import { contentPlace } from '../record/block-contents.ts'
import type { RunStatus } from '../run.ts'

export type ResultDeps = {
  database: Database
  contents: Pick<Contents, 'read'>
  definitions: Pick<DefinitionCache, 'get'>
}

export type AwaitedState = {
  accountId: string
  workflowId: string
  revision: number
  status: RunStatus
  hasEnded: boolean
  errorMessage: string | null
}

/** Undefined when the run is gone with its workflow. */
export async function findAwaited({ database }: ResultDeps, runId: string): Promise<AwaitedState | undefined> {
  const { rows } = await database.system.query<{
    account_id: string
    workflow_id: string
    revision: number
    status: RunStatus
    has_ended: boolean
    error_message: string | null
  }>(sql`
    select account_id, workflow_id, revision, status, ended_at is not null as has_ended, error_message from runs where id = ${runId}`)
  const row = rows[0]
  return (
    row && {
      accountId: row.account_id,
      workflowId: row.workflow_id,
      revision: row.revision,
      status: row.status,
      hasEnded: row.has_ended,
      errorMessage: row.error_message,
    }
  )
}

/** Null unless the run succeeded and the block has a result. */
export async function readResult(deps: ResultDeps, runId: string, run: AwaitedState): Promise<JsonText | null> {
  if (run.status !== 'Ready') return null
  const { accountId } = run
  const workflow = await deps.definitions.get(accountId, run.workflowId, run.revision)
  if (workflow?.outputBlock === undefined) return null
  const block = await findBlock(deps.database.system, accountId, runId, workflow.outputBlock)
  if (block?.status !== 'Ready') return null
  const key = { runId, blockId: workflow.outputBlock, accountId }
  const text = await deps.contents.read(contentPlace(key, 'result'), block.result)
  return text === null ? null : new JsonText(text)
}
