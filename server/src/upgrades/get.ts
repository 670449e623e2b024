import { readPage, type UpgradeOutcome, upgradeOutcomes } from '@patchbay/contract'
import { hasRank, type Principal, scopeOf } from '../access/index.ts'
import type { Database, Queryable, Sql } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { countItems, listItems } from './item-store.ts'
import { findUpgrade, listUpgrades as listRows, type Upgrade } from './store.ts'

/** For whoever started it, SuperPartner and Manager; for all others there is none. */
export async function getUpgradeRow(db: Queryable, principal: Principal, id: string, lock?: Sql): Promise<Upgrade> {
  const upgrade = await findUpgrade(db, id, lock)
  const mayRead = upgrade?.startedBy === principal.caller.id || hasRank(principal, 'SuperPartner')
  if (!upgrade || !mayRead || upgrade.organizationId !== principal.account.organizationId) throw notFound('upgrade')
  return upgrade
}

export async function getUpgrade({ database }: { database: Database }, principal: Principal, id: string) {
  const upgrade = await getUpgradeRow(database.forScope(scopeOf(principal)), principal, id)
  // Names and addresses are those of other accounts.
  const items = await listItems(database.system, id)
  const counts = noCounts()
  for (const { outcome } of items) counts[outcome]++
  return { ...summarize(upgrade, counts), items }
}

export async function listUpgrades(
  { database }: { database: Database },
  principal: Principal,
  paging: { page?: number; size?: number },
) {
  const db = database.forScope(scopeOf(principal))
  const startedBy = hasRank(principal, 'SuperPartner') ? undefined : principal.caller.id
  const { upgrades, total } = await listRows(db, principal.account.organizationId, startedBy, readPage(paging))
  const counted = await countItems(
    db,
    upgrades.map(({ id }) => id),
  )
  const items = upgrades.map((upgrade) => {
    const counts = noCounts()
    for (const { upgradeId, outcome, count } of counted) if (upgradeId === upgrade.id) counts[outcome] = count
    return summarize(upgrade, counts)
  })
  return { items, total }
}

function noCounts(): Record<UpgradeOutcome, number> {
  return Object.fromEntries(upgradeOutcomes.map((outcome) => [outcome, 0])) as Record<UpgradeOutcome, number>
}

function summarize(upgrade: Upgrade, counts: Record<UpgradeOutcome, number>) {
  const { id, workflowTemplateId, toVersion, state, createdAt } = upgrade
  return { id, workflowTemplateId, toVersion, state, createDateTimeUTC: createdAt.toISOString(), counts }
}
