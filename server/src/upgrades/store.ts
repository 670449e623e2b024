import type { UpgradeState } from '@patchbay/contract'
import { type Queryable, type Sql, sql } from '../db/index.ts'

export type Upgrade = {
  id: string
  organizationId: string
  startedBy: string
  keyId: string | null
  address: string | null
  workflowTemplateId: string
  toVersion: string
  baseDigest: Buffer
  state: UpgradeState
  isRollingBack: boolean
  waveMinutes: number
  watchRuns: number
  failuresMax: number
  /** So many recorded runs of a workflow must not break before it is changed. */
  replayRuns: number
  failures: number
  wave: number
  turn: number
  /** Until the wave may begin, by the database's clock; 0 when it may. */
  waveDueInMs: number
  createdAt: Date
}

type Row = {
  id: string
  organization_id: string
  started_by: string
  key_id: string | null
  address: string | null
  workflow_template_id: string
  to_version: string
  base_digest: Buffer
  state: UpgradeState
  is_rolling_back: boolean
  wave_minutes: number
  watch_runs: number
  failures_max: number
  replay_runs: number
  failures: number
  wave: number
  turn: number
  wave_due_in_ms: number
  created_at: Date
}

export type NewUpgrade = Omit<Upgrade, 'isRollingBack' | 'failures' | 'wave' | 'turn' | 'waveDueInMs' | 'createdAt'> & {
  waveSize: number
}

export async function insertUpgrade(tx: Queryable, upgrade: NewUpgrade): Promise<void> {
  await tx.query(sql`
    insert into template_upgrades (id, organization_id, started_by, key_id, address, workflow_template_id, to_version, base_digest, state,
      wave_size, wave_minutes, watch_runs, failures_max, replay_runs, ended_at)
    values (${upgrade.id}, ${upgrade.organizationId}, ${upgrade.startedBy}, ${upgrade.keyId}, ${upgrade.address},
      ${upgrade.workflowTemplateId}, ${upgrade.toVersion}, ${upgrade.baseDigest}, ${upgrade.state}, ${upgrade.waveSize},
      ${upgrade.waveMinutes}, ${upgrade.watchRuns}, ${upgrade.failuresMax}, ${upgrade.replayRuns}, ${endOf(upgrade.state)})`)
}

const columns = sql`*, coalesce(greatest(0, extract(epoch from wave_due_at - clock_timestamp()) * 1000), 0)::float8 as wave_due_in_ms`

export async function findUpgrade(db: Queryable, id: string, lock: Sql = sql``): Promise<Upgrade | undefined> {
  const { rows } = await db.query<Row>(sql`select ${columns} from template_upgrades where id = ${id} ${lock}`)
  return rows[0] && toUpgrade(rows[0])
}

/** Nobody else may change its state until the transaction ends; several may hold it so. */
export const holding = sql`for share`
export const changing = sql`for update`

/** Null while there is something left to do. */
function endOf(state: UpgradeState): Sql {
  return state === 'Running' || state === 'Paused' ? sql`null` : sql`now()`
}

/** A new turn: jobs of the ones before have no effect any more. */
export async function updateState(
  tx: Queryable,
  id: string,
  { state, isRollingBack }: { state: UpgradeState; isRollingBack: boolean },
): Promise<void> {
  await tx.query(sql`
    update template_upgrades set state = ${state}, is_rolling_back = ${isRollingBack}, turn = turn + 1, ended_at = ${endOf(state)} where id = ${id}`)
}

/** The wave that ended lets the next one begin so much later. */
export async function updateWaveDue(
  tx: Queryable,
  { id, waveMinutes }: Pick<Upgrade, 'id' | 'waveMinutes'>,
): Promise<void> {
  await tx.query(sql`
    update template_upgrades set wave_due_at = clock_timestamp() + ${waveMinutes}::float8 * interval '1 minute' where id = ${id}`)
}

/** False when the upgrade is in another wave or turn by now. */
export async function updateWave(
  tx: Queryable,
  { id, wave, turn }: Upgrade,
  next: { wave: number; turn: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update template_upgrades set wave = ${next.wave}, turn = ${next.turn}
    where id = ${id} and wave = ${wave} and turn = ${turn} and state = 'Running'`)
  return rowCount > 0
}

export async function countFailures(tx: Queryable, id: string, more: number): Promise<void> {
  await tx.query(sql`update template_upgrades set failures = failures + ${more} where id = ${id}`)
}

/** Those whose workflows are still watched can go back by themselves, so they stay. */
export async function deleteEndedUpgrades(db: Queryable, daysKept: number): Promise<void> {
  await db.query(sql`
    delete from template_upgrades u where u.ended_at < now() - ${daysKept} * interval '1 day'
      and not exists (select from template_upgrade_items t where t.upgrade_id = u.id and t.watched_until > now())`)
}

/** Newest first; those of one starter, or all of the organization. */
export async function listUpgrades(
  db: Queryable,
  organizationId: string,
  startedBy: string | undefined,
  { page, size }: { page: number; size: number },
): Promise<{ upgrades: Upgrade[]; total: number }> {
  const chosen = sql`organization_id = ${organizationId} and (${startedBy ?? null}::uuid is null or started_by = ${startedBy ?? null})`
  const [list, count] = await Promise.all([
    db.query<Row>(
      sql`select ${columns} from template_upgrades where ${chosen} order by id desc limit ${size} offset ${page * size}`,
    ),
    db.query<{ total: number }>(sql`select count(*) as total from template_upgrades where ${chosen}`),
  ])
  return { upgrades: list.rows.map(toUpgrade), total: count.rows[0]?.total ?? 0 }
}

function toUpgrade(row: Row): Upgrade {
  return {
    id: row.id,
    organizationId: row.organization_id,
    startedBy: row.started_by,
    keyId: row.key_id,
    address: row.address,
    workflowTemplateId: row.workflow_template_id,
    toVersion: row.to_version,
    baseDigest: row.base_digest,
    state: row.state,
    isRollingBack: row.is_rolling_back,
    waveMinutes: row.wave_minutes,
    watchRuns: row.watch_runs,
    failuresMax: row.failures_max,
    replayRuns: row.replay_runs,
    failures: row.failures,
    wave: row.wave,
    turn: row.turn,
    waveDueInMs: row.wave_due_in_ms,
    createdAt: row.created_at,
  }
}
