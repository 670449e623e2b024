import type { UpgradeOutcome } from '@patchbay/contract'
import { accountName } from '../access/index.ts'
import { type Queryable, sql } from '../db/index.ts'

export type Item = {
  workflowId: string
  accountId: string
  outcome: UpgradeOutcome
  wave: number
  revisionBefore: number | null
  revisionAfter: number | null
  message: string | null
}

type Row = {
  workflow_id: string
  account_id: string
  outcome: UpgradeOutcome
  wave: number
  revision_before: number | null
  revision_after: number | null
  message: string | null
}

const columns = sql`workflow_id, account_id, outcome, wave, revision_before, revision_after, message`

export type NewItem = Pick<Item, 'workflowId' | 'accountId' | 'outcome' | 'wave' | 'message' | 'revisionBefore'> & {
  sealedChoices: Buffer | null
}

export async function insertItems(
  tx: Queryable,
  upgrade: { id: string; organizationId: string },
  items: readonly NewItem[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(sql`
    insert into template_upgrade_items (upgrade_id, organization_id, workflow_id, account_id, position, outcome, wave, message, revision_before, sealed_choices)
    select ${upgrade.id}, ${upgrade.organizationId}, i.* from unnest(
      ${items.map(({ workflowId }) => workflowId)}::uuid[], ${items.map(({ accountId }) => accountId)}::uuid[],
      ${items.map((_item, position) => position)}::integer[], ${items.map(({ outcome }) => outcome)}::text[],
      ${items.map(({ wave }) => wave)}::integer[], ${items.map(({ message }) => message)}::text[],
      ${items.map(({ revisionBefore }) => revisionBefore)}::integer[], ${items.map(({ sealedChoices }) => sealedChoices)}::bytea[]) as i`)
}

type NamedItem = Item & { name: string | null; accountName: string | null; accountEmail: string | null }

/** With the names that a person knows the workflows by; null where something is gone. */
export async function listItems(db: Queryable, upgradeId: string): Promise<NamedItem[]> {
  const { rows } = await db.query<Row & { name: string | null; account_name: string | null; email: string | null }>(sql`
    select t.workflow_id, t.account_id, t.outcome, t.wave, t.revision_before, t.revision_after, t.message, w.name,
      ${accountName} as account_name, a.email
    from template_upgrade_items t left join workflows w on w.id = t.workflow_id left join accounts a on a.id = t.account_id
    where t.upgrade_id = ${upgradeId} order by t.position`)
  return rows.map((row) => ({ ...toItem(row), name: row.name, accountName: row.account_name, accountEmail: row.email }))
}

export async function countItems(
  db: Queryable,
  upgradeIds: readonly string[],
): Promise<{ upgradeId: string; outcome: UpgradeOutcome; count: number }[]> {
  const { rows } = await db.query<{ upgrade_id: string; outcome: UpgradeOutcome; count: number }>(sql`
    select upgrade_id, outcome, count(*) as count from template_upgrade_items where upgrade_id = any(${upgradeIds}::uuid[])
    group by upgrade_id, outcome`)
  return rows.map((row) => ({ upgradeId: row.upgrade_id, outcome: row.outcome, count: row.count }))
}

export type PendingItem = Pick<Item, 'workflowId' | 'accountId'> & { sealedChoices: Buffer | null }

export async function listPending(
  db: Queryable,
  upgradeId: string,
  wave: number,
  limit: number,
): Promise<PendingItem[]> {
  const { rows } = await db.query<Row & { sealed_choices: Buffer | null }>(sql`
    select ${columns}, sealed_choices from template_upgrade_items
    where upgrade_id = ${upgradeId} and wave = ${wave} and outcome = 'pending' order by position limit ${limit}`)
  return rows.map((row) => ({
    workflowId: row.workflow_id,
    accountId: row.account_id,
    sealedChoices: row.sealed_choices,
  }))
}

/** The first wave that still waits; undefined when none does. */
export async function findNextWave(db: Queryable, upgradeId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ wave: number | null }>(
    sql`select min(wave) as wave from template_upgrade_items where upgrade_id = ${upgradeId} and outcome = 'pending'`,
  )
  return rows[0]?.wave ?? undefined
}

/** How a workflow's turn ended. `watch`: its next runs decide whether it goes back. */
export type Ending = {
  workflowId: string
  outcome: UpgradeOutcome
  revisionBefore: number | null
  revisionAfter: number | null
  message: string | null
  isWatched: boolean
}

const watchDays = 7

/** Choices were used by now, so they are forgotten. */
export async function endItems(tx: Queryable, upgradeId: string, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return
  await tx.query(sql`
    update template_upgrade_items t set outcome = e.outcome, revision_before = coalesce(e.revision_before, t.revision_before), revision_after = e.revision_after,
      message = e.message, sealed_choices = null,
      watched_until = case when e.is_watched then now() + ${watchDays} * interval '1 day' end,
      runs_seen = coalesce((select w.last_run_number from workflows w where w.id = t.workflow_id), 0)
    from unnest(
      ${endings.map(({ workflowId }) => workflowId)}::uuid[], ${endings.map(({ outcome }) => outcome)}::text[],
      ${endings.map(({ revisionBefore }) => revisionBefore)}::integer[], ${endings.map(({ revisionAfter }) => revisionAfter)}::integer[],
      ${endings.map(({ message }) => message)}::text[], ${endings.map(({ isWatched }) => isWatched)}::boolean[]
    ) as e (workflow_id, outcome, revision_before, revision_after, message, is_watched)
    where t.upgrade_id = ${upgradeId} and t.workflow_id = e.workflow_id and t.outcome = 'pending'`)
}

export async function skipPending(tx: Queryable, upgradeId: string, message: string): Promise<void> {
  await tx.query(sql`
    update template_upgrade_items set outcome = 'skipped', message = ${message}, sealed_choices = null
    where upgrade_id = ${upgradeId} and outcome = 'pending'`)
}

export type UpgradedItem = { workflowId: string; revisionBefore: number; revisionAfter: number }

/** Upgraded workflows after this one, in the order of their ids. */
export async function listUpgraded(
  db: Queryable,
  upgradeId: string,
  after: string | undefined,
  limit: number,
): Promise<UpgradedItem[]> {
  const { rows } = await db.query<Row>(sql`
    select ${columns} from template_upgrade_items
    where upgrade_id = ${upgradeId} and outcome = 'upgraded' and (${after ?? null}::uuid is null or workflow_id > ${after ?? null})
    order by workflow_id limit ${limit}`)
  return rows.map((row) => ({
    workflowId: row.workflow_id,
    revisionBefore: row.revision_before as number,
    revisionAfter: row.revision_after as number,
  }))
}

export type Return = { workflowId: string; isBack: boolean; message: string }

/** Those that went back; `isBack` false: the message says why one did not. Nobody watches them any more. Returns how many went back. */
export async function endUpgraded(tx: Queryable, upgradeId: string, endings: readonly Return[]): Promise<number> {
  if (endings.length === 0) return 0
  const { rows } = await tx.query<{ is_back: boolean }>(sql`
    update template_upgrade_items t set watched_until = null, message = e.message,
      outcome = case when e.is_back then 'rolledBack' else t.outcome end
    from unnest(${endings.map(({ workflowId }) => workflowId)}::uuid[], ${endings.map(({ isBack }) => isBack)}::boolean[],
      ${endings.map(({ message }) => message)}::text[]) as e (workflow_id, is_back, message)
    where t.upgrade_id = ${upgradeId} and t.workflow_id = e.workflow_id and t.outcome = 'upgraded'
    returning e.is_back`)
  return rows.filter((row) => row.is_back).length
}

function toItem(row: Row): Item {
  return {
    workflowId: row.workflow_id,
    accountId: row.account_id,
    outcome: row.outcome,
    wave: row.wave,
    revisionBefore: row.revision_before,
    revisionAfter: row.revision_after,
    message: row.message,
  }
}
