// BulkAction: the same for many workflows, each in its own account and with its own outcome, by the same verbs as one alone.
import { type AnswerOf, type BodyOf, bulkWorkflowsMax, type Operations } from '@patchbay/contract'
import { type Principal, reachOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, invalid, notFound } from '../lib/app-error.ts'
import { type ChosenWorkflow, listChosen, type WorkflowCatalog } from '../workflows/index.ts'
import { announce, judge } from './judge.ts'

type Body = BodyOf<Operations['BulkAction']>
type Answer = AnswerOf<Operations['BulkAction']>
type Item = Answer['items'][number]
type Outcome = Pick<Item, 'outcome' | 'message' | 'runNumber'>

/** What other rooms do to one workflow, as somebody who acts for its account. */
export type BulkVerbs = {
  retry(principal: Principal, workflowId: string, runNumber: number): Promise<{ runNumber: number; sentence: string }>
  pause(principal: Principal, workflowId: string): Promise<boolean>
  resume(principal: Principal, workflowId: string): Promise<boolean>
  deploy(principal: Principal, workflowId: string): Promise<unknown>
  /** The sentence that refuses to deploy it; undefined when nothing does. */
  whyNotDeployable(principal: Principal, workflowId: string): Promise<string | undefined>
  tag(principal: Principal, workflowId: string, value: string): Promise<unknown>
}

export type BulkDeps = { database: Database; catalog: WorkflowCatalog; verbs: BulkVerbs }

/** At the same time: enough to be quick, few enough to leave the database to others. */
const lanes = 4

export async function doInBulk(deps: BulkDeps, principal: Principal, body: Body): Promise<Answer> {
  const workflows = await choose(deps, principal, body)
  const items: Item[] = new Array(workflows.length)
  const rest = workflows.entries()
  const work = async () => {
    for (const [place, workflow] of rest) items[place] = await actOn(deps.verbs, principal, workflow, body)
  }
  await Promise.all(Array.from({ length: lanes }, work))
  const count = (outcome: Item['outcome']) => items.filter((item) => item.outcome === outcome).length
  return { items, done: count('done'), unchanged: count('unchanged'), refused: count('refused') }
}

async function choose({ database, catalog }: BulkDeps, principal: Principal, body: Body): Promise<ChosenWorkflow[]> {
  const { workflowIds, filter, action, tag } = body
  if ((workflowIds === undefined) === (filter === undefined)) throw invalid('Give either workflowIds or filter.')
  if ((action === 'tag') !== (tag !== undefined)) throw invalid('Give tag with the action tag, and only with it.')
  const reach = reachOf(principal, filter ? filter.acrossAccounts : true)
  const ids = [...new Set(workflowIds?.map((id) => id.toLowerCase()))]
  const choice = filter ? { filter } : { ids }
  const found = await listChosen({ db: database.system, catalog }, reach, choice, bulkWorkflowsMax + 1)
  if (found.length > bulkWorkflowsMax)
    throw invalid(`The filter matches more than ${bulkWorkflowsMax} workflows. Narrow it down.`)
  if (!filter && found.length < ids.length) throw notFound('workflow')
  return found
}

async function actOn(verbs: BulkVerbs, principal: Principal, workflow: ChosenWorkflow, body: Body): Promise<Item> {
  const { account, accountName } = workflow
  const acting: Principal = { ...principal, account, isManaging: account.id !== principal.caller.id }
  const outcome = await outcomeOf(verbs, acting, workflow, body)
  return {
    workflowId: workflow.id,
    workflowName: workflow.name,
    accountId: account.id,
    accountName,
    accountEmail: account.email,
    ...outcome,
  }
}

async function outcomeOf(
  verbs: BulkVerbs,
  acting: Principal,
  workflow: ChosenWorkflow,
  { action, tag = '', dryRun }: Body,
): Promise<Outcome> {
  const verdict = judge(action, workflow, tag)
  if (verdict) return verdict
  if (dryRun) {
    const refusal = action === 'deploy' ? await verbs.whyNotDeployable(acting, workflow.id) : undefined
    return refusal === undefined
      ? { outcome: 'done', message: announce(action, workflow, tag) }
      : { outcome: 'refused', message: refusal }
  }
  try {
    return await act(verbs, acting, workflow, { action, tag })
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'refused', message: error.message }
    throw error
  }
}

async function act(
  verbs: BulkVerbs,
  acting: Principal,
  { id, lastRunNumber }: ChosenWorkflow,
  { action, tag }: { action: Body['action']; tag: string },
): Promise<Outcome> {
  switch (action) {
    case 'retryFailed': {
      const { runNumber, sentence } = await verbs.retry(acting, id, lastRunNumber ?? 0)
      return { outcome: 'done', message: sentence, runNumber }
    }
    case 'pause':
      return (await verbs.pause(acting, id))
        ? { outcome: 'done', message: 'Automatic runs are paused.' }
        : { outcome: 'unchanged', message: 'It is paused already, or no longer deployed.' }
    case 'resume':
      await verbs.resume(acting, id)
      return { outcome: 'done', message: 'Automatic runs resumed.' }
    case 'deploy':
      await verbs.deploy(acting, id)
      return { outcome: 'done', message: 'Deployed.' }
    case 'tag':
      await verbs.tag(acting, id, tag)
      return { outcome: 'done', message: 'Tagged.' }
  }
}
