// `run.resumeUrl`: an address that wakes the block whose script gave it to somebody. Each try of a script has one of its own; together they work once.
import { type Queryable, sql } from '../../db/index.ts'
import { hashToken, isWellFormedToken, newRoutedToken } from '../../lib/token.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { RunClaim } from '../run.ts'

export const resumePath = '/resume/'

const prefix = 'pbw'

type Place = { runId: string; blockId: string; itemIndex: number }

/** The token; of a run that another worker owns now it leads nowhere. */
export async function createResumeToken(
  db: Queryable,
  claim: RunClaim,
  { accountId, blockId, itemIndex }: { accountId: string; blockId: string; itemIndex: number },
): Promise<string> {
  const token = newRoutedToken(prefix)
  await db.query(sql`
    insert into resume_links (token_hash, account_id, workflow_id, run_id, block_id, item_index)
    select ${hashToken(token)}, ${accountId}, r.workflow_id, r.id, ${blockId}, ${itemIndex} from runs r
    where r.id = ${claim.runId} and r.attempt = ${claim.attempt} and r.ended_at is null`)
  return token
}

export type ResumeLink = Place & { tokenHash: Buffer; accountId: string; workflowId: string; isUsed: boolean }

/** Who holds the link is not known yet, so this reads past the walls between accounts. Undefined for a token that is wrong. */
export async function findResumeLink(db: Queryable, token: string): Promise<ResumeLink | undefined> {
  if (!isWellFormedToken(prefix, token)) return undefined
  const tokenHash = hashToken(token)
  const { rows } = await db.query<{
    account_id: string
    workflow_id: string
    run_id: string
    block_id: string
    item_index: number
    is_used: boolean
  }>(sql`
    select l.account_id, l.workflow_id, l.run_id, l.block_id, l.item_index, l.outcome is not null as is_used
    from resume_links l join accounts a on a.id = l.account_id and a.state = 'active' where l.token_hash = ${tokenHash}`)
  const row = rows[0]
  return (
    row && {
      tokenHash,
      accountId: row.account_id,
      workflowId: row.workflow_id,
      runId: row.run_id,
      blockId: row.block_id,
      itemIndex: row.item_index,
      isUsed: row.is_used,
    }
  )
}

/** In the transaction that began the wait, which holds the run: the outcome when somebody was quicker than the wait. */
export async function takeEarlyResume(
  tx: Queryable,
  runId: string,
  { blockId, itemIndex }: Pick<RunWait, 'blockId' | 'itemIndex'>,
): Promise<string | null> {
  const { rows } = await tx.query<{ outcome: string }>(sql`
    update run_waits w set outcome = l.outcome from resume_links l
    where l.run_id = ${runId} and l.block_id = ${blockId} and l.item_index = ${itemIndex} and l.outcome is not null
      and w.run_id = l.run_id and w.block_id = l.block_id and w.item_index = l.item_index and w.outcome is null
    returning w.outcome`)
  return rows[0]?.outcome ?? null
}
