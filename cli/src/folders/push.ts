// A plan carried out: all of it, or none. What was done before a failure is undone, newest first.
import type { Client } from '@patchbay/sdk'
import { Failure } from '../failure.ts'
import type { Connection } from '../session/connect.ts'
import type { Plan, Step } from './plan.ts'
import { digestOf, isBound } from './portable.ts'
import { remember } from './state.ts'
import { toInput, type WorkflowInput } from './to-service.ts'

export type PushOptions = {
  force: boolean
  withSecrets: boolean
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

export type Pushed = { workflow: string; id: string; done: 'created' | 'updated' | 'unchanged' }

type Prepared = { step: Step; body: WorkflowInput; blockIds: Map<string, string> }
type Done = { pushed: Pushed; revision: number; prepared: Prepared; undo?: () => Promise<unknown> }

export async function push(connection: Connection, plan: Plan, options: PushOptions): Promise<Pushed[]> {
  const objections = plan.steps.flatMap(({ objection }) => objection ?? [])
  if (objections.length > 0 && !options.force) throw new Failure(objections.join('\n'))
  // Everything that can be wrong here is found before the first request that changes something.
  const prepared: Prepared[] = []
  for (const step of plan.steps) prepared.push(await prepare(connection.client, plan, step, options))

  const done: Done[] = []
  try {
    for (const one of prepared) {
      options.signal.throwIfAborted()
      done.push(await carryOut(connection.client, one, options))
    }
  } catch (error) {
    await undoAll(done, error)
  }
  for (const {
    pushed,
    revision,
    prepared: { step, blockIds },
  } of done) {
    remember(step.folder, connection, {
      id: pushed.id,
      revision,
      digest: digestOf(step.workflow),
      blocks: Object.fromEntries(blockIds),
    })
  }
  return done.map(({ pushed }) => pushed)
}

async function prepare(client: Client, plan: Plan, step: Step, options: PushOptions): Promise<Prepared> {
  const blockIds = step.current ? step.blockIds : await templateBlockIds(client, plan, step)
  return {
    step,
    ...toInput(step.workflow, {
      names: plan.names,
      env: options.env,
      blockIds,
      current: step.current,
      withSecrets: options.withSecrets,
    }),
  }
}

/** A new workflow that follows a template has the blocks of the template, in its order. */
async function templateBlockIds(client: Client, plan: Plan, { workflow }: Step): Promise<Map<string, string>> {
  if (!workflow.template || !isBound(workflow)) return new Map()
  const { name, version } = workflow.template
  const id = plan.names.workflowTemplate.idOf(name)
  if (id === undefined) throw new Failure(`"${workflow.name}": no workflow template named "${name}" on the server.`)
  const { chain } = await client.workflowTemplate({ params: { id }, query: version === undefined ? {} : { version } })
  if (chain.length !== workflow.blocks.length) {
    throw new Failure(
      `"${workflow.name}" has ${workflow.blocks.length} blocks, but its template "${name}" has ${chain.length}.`,
    )
  }
  return new Map(workflow.blocks.map(({ key }, index) => [key, chain[index]?.uniqueBlockId as string]))
}

async function carryOut(client: Client, prepared: Prepared, options: PushOptions): Promise<Done> {
  const { step, body } = prepared
  const { current } = step
  const workflow = step.workflow.name
  if (!current) {
    const id = await client.workflowCreate({ body })
    const { revision } = await client.workflow({ params: { id } })
    return {
      pushed: { workflow, id, done: 'created' },
      revision,
      prepared,
      undo: () => client.deleteWorkflow({ params: { id } }),
    }
  }
  const { id, revision } = current
  if (step.changes.length === 0 && !options.withSecrets) {
    return { pushed: { workflow, id, done: 'unchanged' }, revision, prepared }
  }
  // Even with --force: the plan was made for this revision, and nothing that came after it has been looked at.
  const headers = { 'If-Match': `"${revision}"` }
  const answer = await client.exchange('WorkflowUpdate', { params: { id }, body, headers })
  return {
    pushed: { workflow, id, done: 'updated' },
    revision: Number(answer.headers.get('etag')?.replaceAll('"', '') ?? revision + 1),
    prepared,
    undo: () => client.restoreRevision({ params: { workflowId: id }, body: { revision } }),
  }
}

async function undoAll(done: readonly Done[], cause: unknown): Promise<never> {
  const stuck: string[] = []
  for (const { pushed, undo } of done.toReversed()) {
    await undo?.().catch(() => stuck.push(pushed.workflow))
  }
  if (stuck.length === 0) throw cause
  const names = stuck.map((name) => `"${name}"`).join(', ')
  throw new Failure(
    `${(cause as Error).message}\nThese were pushed and could not be taken back: ${names}. Push again to finish.`,
    1,
    cause,
  )
}
