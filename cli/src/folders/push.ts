// A plan carried out: all of it, or none. The service does it in one transaction, so nothing that happens to this process leaves half of it.
import { type Client, ConnectionError } from '@patchbay/sdk'
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
type Saved = { id: string; revision: number; done: Pushed['done']; blockIds: ReadonlyMap<string, string> }

/** What the service takes in one request. */
const workflowsMax = 1000
/** A thousand workflows take some seconds; a slow line takes longer. */
const timeoutMs = 600_000

export async function push(connection: Connection, plan: Plan, options: PushOptions): Promise<Pushed[]> {
  const objections = plan.steps.flatMap(({ objection }) => objection ?? [])
  if (objections.length > 0 && !options.force) throw new Failure(objections.join('\n'))
  // Everything that can be wrong here is found before the request that changes something.
  const changed: Prepared[] = []
  for (const step of plan.steps) {
    if (!step.onServer || step.changes.length > 0 || options.withSecrets) {
      changed.push(await prepare(connection.client, plan, step, options))
    }
  }
  if (changed.length > workflowsMax) {
    throw new Failure(
      `${changed.length} workflows have changed, and one push takes ${workflowsMax}. Name some of the folders, and push the others after them.`,
    )
  }
  options.signal.throwIfAborted()
  const saved = await save(connection.client, changed)
  return plan.steps.map((step) => {
    const { id, revision, done, blockIds } = saved.get(step) ?? unchanged(step)
    const blocks = Object.fromEntries(blockIds)
    remember(step.folder, connection, { id, revision, digest: digestOf(step.workflow), blocks })
    return { workflow: step.workflow.name, id, done }
  })
}

function unchanged({ onServer, blockIds }: Step): Saved {
  if (!onServer) throw new Failure('The service did not answer for every workflow. Run "patchbay diff".')
  return { id: onServer.id, revision: onServer.revision, done: 'unchanged', blockIds }
}

async function save(client: Client, prepared: readonly Prepared[]): Promise<Map<Step, Saved>> {
  if (prepared.length === 0) return new Map()
  const workflows = prepared.map(({ step: { current }, body }) => ({
    // Even with --force: the plan was made for this revision, and nothing that came after it has been looked at.
    ...(current ? { id: current.id, revision: current.revision } : {}),
    workflow: body,
  }))
  try {
    const answers = await client.pushWorkflows({ body: { workflows }, timeoutMs })
    return new Map(
      answers.map(({ id, revision, change }, index) => {
        const { step, blockIds } = prepared[index] as Prepared
        return [step, { id, revision, done: change, blockIds }]
      }),
    )
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    throw new Failure(
      'The connection was lost before the server confirmed the push. It saved everything or nothing: "patchbay diff" shows which.',
      1,
      error,
    )
  }
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
