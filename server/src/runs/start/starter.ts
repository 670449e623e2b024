// Starting runs: the row of a run and its job are written in one transaction, and starts of the same moment share it.
import { type Database, isAway, type Tx, violatedConstraint } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import { newId } from '../../lib/id.ts'
import type { JobQueue } from '../../queue/index.ts'
import { type RunNews, runQueue } from '../run.ts'
import { findObstacle, findStarted, type InsertedRun, insertRuns, type NewRun } from './start-store.ts'

/** `id`: for a caller that has to know it before. */
export type RunRequest = Omit<NewRun, 'id'> & { id?: string }

export type StartedRun = InsertedRun

export class RunStarter {
  readonly #database: Database
  readonly #jobs: JobQueue
  readonly #news: Pick<RunNews, 'onStarted'>
  readonly #group: GroupCommit<RunRequest & { id: string }, StartedRun | undefined>

  constructor(deps: { database: Database; jobs: JobQueue; news: Pick<RunNews, 'onStarted'> }) {
    this.#database = deps.database
    this.#news = deps.news
    this.#jobs = deps.jobs
    this.#group = new GroupCommit((requests) => this.#startAll(requests), {
      batchesAtOnce: 1,
      itemsMax: 200,
      isShared: isAway,
    })
  }

  /** Throws when the account has no such workflow, or it is not deployed. */
  async start(request: RunRequest): Promise<StartedRun> {
    const started = await this.#group.add({ ...request, id: request.id ?? newId() })
    return started ?? (await this.#refuse(request))
  }

  /** For a caller that has more to write with the start. It calls `wake` once its transaction is through. */
  async startIn(tx: Tx, request: RunRequest): Promise<StartedRun> {
    const [started] = await this.#writeAll(tx, [{ ...request, id: request.id ?? newId() }])
    return started ?? (await this.#refuse(request))
  }

  /** Many at once; undefined for those whose workflow is gone or not deployed. Workers look once the transaction is through. */
  async startAllIn(tx: Tx, requests: readonly RunRequest[]): Promise<(StartedRun | undefined)[]> {
    if (requests.length === 0) return []
    tx.afterCommit(() => this.wake())
    return this.#writeAll(
      tx,
      requests.map((request) => ({ ...request, id: newId() })),
    )
  }

  /** Lets workers of this process look at once; those of others are told by the database. */
  wake(): void {
    this.#jobs.hint(runQueue)
  }

  async #startAll(requests: (RunRequest & { id: string })[]): Promise<(StartedRun | undefined)[]> {
    const { system } = this.#database
    try {
      const started = await system.transaction((tx) => this.#writeAll(tx, requests))
      this.wake()
      return started
    } catch (error) {
      // The connection was lost over a batch, which is tried again: what is there already was started by the first try.
      const [request] = requests
      if (!request || requests.length > 1 || violatedConstraint(error) === undefined) throw error
      const started = await findStarted(system, request.id)
      if (!started) throw error
      return [started]
    }
  }

  async #writeAll(tx: Tx, requests: (RunRequest & { id: string })[]): Promise<(StartedRun | undefined)[]> {
    // One round trip: jobs are filed before it is known which workflows may run, and the few that may not are taken back.
    const [inserted] = await Promise.all([
      insertRuns(tx, requests),
      this.#jobs.sendMany(
        tx,
        runQueue,
        requests.map(({ id, accountId }) => ({ id, groupId: accountId })),
      ),
    ])
    tx.afterCommit(() => {
      for (const { id, accountId, workflowId, runBy } of requests) {
        const run = inserted.get(id)
        if (run) this.#news.onStarted({ ...run, accountId, workflowId, runBy })
      }
    })
    const refused = requests.filter(({ id }) => !inserted.has(id)).map(({ id }) => id)
    await this.#jobs.remove(tx, runQueue, refused)
    return requests.map(({ id }) => inserted.get(id))
  }

  async #refuse({ accountId, workflowId, needsApplications }: RunRequest): Promise<never> {
    const found = await findObstacle(this.#database.system, accountId, workflowId)
    if (found === undefined || found.isBeingDeleted) throw notFound('workflow')
    if (found.state !== 'deployed') throw notDeployed(found.state)
    if (needsApplications && found.missing.length > 0) throw applicationsMissing(found.missing)
    throw new AppError('not_ready', 'The workflow has only just become ready to run. Try again.')
  }
}

export function applicationsMissing(names: readonly string[]): AppError {
  return new AppError(
    'applications_missing',
    `The workflow needs registered applications that are missing or not authenticated: ${names.join(', ')}.`,
  )
}

export function notDeployed(state: string): AppError {
  const words = state === 'archived' ? 'archived' : 'not deployed'
  return new AppError('workflow_not_deployed', `The workflow is ${words}; only a deployed workflow can run.`)
}
