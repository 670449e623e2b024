// The only place that knows pg-boss. Who works on what, now, is pg-boss's; the rows that jobs serve are the features'.
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { type Database, type Queryable, rawStatement } from '../db/index.ts'

export type QueueDefinition = {
  /** Seconds without a heartbeat after which a job counts as abandoned. */
  heartbeatSeconds?: number
  retryLimit: number
  retryDelaySeconds: number
  retryDelaySecondsMax?: number
}

export type QueueDefinitions = Readonly<Record<string, QueueDefinition>>

export type Job<Data> = { id: string; data: Data; attempt: number }

const schema = 'pgboss'

/** Installs pg-boss and the queues, as the owner, under the lock of the migrations. Does nothing when they are there already. */
export async function installQueues(owner: pg.Client, definitions: QueueDefinitions): Promise<void> {
  const boss = new PgBoss({
    schema,
    supervise: false,
    schedule: false,
    db: { executeSql: (text, values) => owner.query(text, values as unknown[]) },
  })
  const wanted = JSON.stringify(definitions)
  await owner.query('create table if not exists patchbay.installed_queues (definitions text not null, version integer)')
  const { rows } = await owner.query('select definitions, version from patchbay.installed_queues')
  if (rows[0]?.definitions === wanted && (await boss.isInstalled()) && rows[0].version === (await boss.schemaVersion()))
    return

  await boss.start()
  for (const [name, definition] of Object.entries(definitions)) {
    const options = {
      retryLimit: definition.retryLimit,
      retryDelay: definition.retryDelaySeconds,
      retryBackoff: true,
      notify: true,
      ...(definition.retryDelaySecondsMax === undefined ? {} : { retryDelayMax: definition.retryDelaySecondsMax }),
      ...(definition.heartbeatSeconds === undefined ? {} : { heartbeatSeconds: definition.heartbeatSeconds }),
    }
    await ((await boss.getQueue(name)) ? boss.updateQueue(name, options) : boss.createQueue(name, options))
  }
  await owner.query(`grant usage on schema ${schema} to patchbay_app, patchbay_system`)
  await owner.query(`grant select, insert, update, delete on all tables in schema ${schema} to patchbay_system`)
  await owner.query(`grant usage on all sequences in schema ${schema} to patchbay_system`)
  // A request files jobs in its own transaction; it can neither read nor change the jobs of others.
  await owner.query(`grant select on ${schema}.queue to patchbay_app`)
  await owner.query(`grant insert, select (id, start_after) on ${schema}.job, ${schema}.job_common to patchbay_app`)
  await owner.query('delete from patchbay.installed_queues')
  await owner.query('insert into patchbay.installed_queues values ($1, $2)', [wanted, await boss.schemaVersion()])
  await boss.stop({ graceful: false })
}

export class JobQueue implements AsyncDisposable {
  readonly #boss: PgBoss

  private constructor(boss: PgBoss) {
    this.#boss = boss
  }

  /** `supervises`: workers also look after abandoned jobs; processes that only file jobs leave that to them. */
  static async start(database: Database, supervises: boolean, onError: (error: Error) => void): Promise<JobQueue> {
    const boss = new PgBoss({
      schema,
      migrate: false,
      createSchema: false,
      supervise: supervises,
      schedule: supervises,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      useListenNotify: supervises,
      // Rebuilding indexes needs the owner, which no running process is.
      reindex: false,
      db: {
        executeSql: (text, values) => database.executeRaw(text, values),
        listen: (channel, onMessage, onConnect) => database.listen(channel, onMessage, onConnect),
      },
    })
    boss.on('error', onError)
    await boss.start()
    return new JobQueue(boss)
  }

  /** Files a job in the caller's transaction: the job exists exactly when the row it serves does. */
  async send(tx: Queryable, queue: string, data: object): Promise<void> {
    await this.#boss.insert(queue, [{ data }], {
      db: { executeSql: (text, values) => tx.query(rawStatement(text, values ?? [])) },
    })
  }

  /** Works on jobs of a queue, each by itself. A handler that throws has its job tried again as the queue says. */
  async work<Data>(queue: string, concurrency: number, handler: (job: Job<Data>) => Promise<void>): Promise<void> {
    await this.#boss.work<Data>(
      queue,
      {
        localConcurrency: concurrency,
        batchSize: 1,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 2,
        includeMetadata: true,
      },
      async ([job]) => {
        if (job) await handler({ id: job.id, data: job.data, attempt: job.retryCount })
      },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: 25_000 })
  }
}
