import type pg from 'pg'
import { PgBoss } from 'pg-boss'

export type QueueDefinition = {
  /** Seconds without a heartbeat after which a job counts as abandoned; at least 10. */
  heartbeatSeconds?: number
  retryLimit: number
  retryDelaySeconds: number
  retryDelaySecondsMax?: number
  /** False: every retry waits the same time. */
  growsDelay?: boolean
  /** Seconds a job may be worked on in all. */
  expireSeconds?: number
  /** Seconds a job may wait before it is thrown away. */
  waitSecondsMax?: number
  /** `key_strict_fifo`: jobs of one key one after the other, in the order in which they were filed. */
  policy?: 'standard' | 'key_strict_fifo'
}

export type QueueDefinitions = Readonly<Record<string, QueueDefinition>>

export const schema = 'pgboss'

/** Finds the groups that wait, and the oldest jobs of one, without passing over the jobs of others. */
const additions = [
  `alter table ${schema}.job add column if not exists parked_until timestamptz, add column if not exists is_woken boolean not null default false`,
  `create index if not exists job_parked on ${schema}.job_common (parked_until) where parked_until is not null`,
  `create index if not exists job_waiting_by_group on ${schema}.job_common (name, group_id, created_on) where state < 'active' and not blocked`,
]

/** Installs pg-boss and the queues, as the owner, under the lock of the migrations. Does nothing when they are there already. */
export async function installQueues(owner: pg.Client, definitions: QueueDefinitions): Promise<void> {
  const boss = new PgBoss({
    schema,
    supervise: false,
    schedule: false,
    db: { executeSql: (text, values) => owner.query(text, values as unknown[]) },
  })
  const wanted = JSON.stringify([Object.entries(definitions).map(([name, one]) => [name, toOptions(one)]), additions])
  await owner.query('create table if not exists patchbay.installed_queues (definitions text not null, version integer)')
  const { rows } = await owner.query('select definitions, version from patchbay.installed_queues')
  if (rows[0]?.definitions === wanted && (await boss.isInstalled()) && rows[0].version === (await boss.schemaVersion()))
    return

  await boss.start()
  for (const [name, definition] of Object.entries(definitions)) {
    const options = toOptions(definition)
    const isThere = await boss.getQueue(name)
    await (isThere
      ? boss.updateQueue(name, options)
      : boss.createQueue(name, { ...options, policy: definition.policy ?? 'standard' }))
  }
  await owner.query(`grant usage on schema ${schema} to patchbay_app, patchbay_system`)
  await owner.query(`grant select, insert, update, delete on all tables in schema ${schema} to patchbay_system`)
  await owner.query(`grant usage on all sequences in schema ${schema} to patchbay_system`)
  // A request files jobs in its own transaction; it can neither read nor change the jobs of others.
  await owner.query(`grant select on ${schema}.queue to patchbay_app`)
  await owner.query(`grant insert, select (id, start_after) on ${schema}.job, ${schema}.job_common to patchbay_app`)
  // Jobs come and go by the thousand: vacuum follows their number, not the size of a table that is nearly empty.
  await owner.query(
    `alter table ${schema}.job_common set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
  )
  for (const addition of additions) await owner.query(addition)
  await owner.query('delete from patchbay.installed_queues')
  await owner.query('insert into patchbay.installed_queues values ($1, $2)', [wanted, await boss.schemaVersion()])
  await boss.stop({ graceful: false })
}

function toOptions(definition: QueueDefinition) {
  return {
    retryLimit: definition.retryLimit,
    retryDelay: definition.retryDelaySeconds,
    retryBackoff: definition.growsDelay ?? true,
    // Within the transaction that files a job a notice would make commits wait for each other (announcer.ts).
    notify: false,
    ...(definition.retryDelaySecondsMax === undefined ? {} : { retryDelayMax: definition.retryDelaySecondsMax }),
    ...(definition.heartbeatSeconds === undefined ? {} : { heartbeatSeconds: definition.heartbeatSeconds }),
    ...(definition.expireSeconds === undefined ? {} : { expireInSeconds: definition.expireSeconds }),
    ...(definition.waitSecondsMax === undefined ? {} : { retentionSeconds: definition.waitSecondsMax }),
  }
}
