import type { Client } from '@patchbay/sdk'
import { Type } from 'typebox'
import { type Block, findWorkflow, type Workflow } from '../find-workflow.ts'
import { RunNumber, WorkflowId } from '../inputs.ts'
import { orNothing, readInputs } from '../run-inputs.ts'
import { shorten } from '../shorten.ts'
import { type Found, ToolRefusal, tool } from '../tool.ts'

export const explainFailure = tool({
  name: 'explain_failure',
  title: 'Explain a failed run',
  description:
    'Why a run failed: the error and its block with script and log, the calls it made, its inputs, what changed since the last run that succeeded, and similar failures.',
  input: Type.Object({ workflowId: WorkflowId, runNumber: RunNumber }, { additionalProperties: false }),
  async run(client, { workflowId, runNumber }, signal) {
    const workflow = await findWorkflow(client, workflowId, runNumber)
    const { run } = workflow
    if (run?.status !== 'Error') {
      throw new ToolRefusal(`Run ${runNumber} of "${workflow.name}" did not fail; its status is ${run?.status}.`)
    }
    const block = workflow.chain.find(({ status }) => status === 'Error')
    const [told, change, similar] = await Promise.all([
      block && tellBlock(client, workflow, block, runNumber),
      findLastChange(client, workflow, signal),
      findSimilar(client, workflow, signal),
    ])
    const where = block ? ` in block "${block.blockName}"` : ''
    return {
      summary: `Run ${runNumber} of "${workflow.name}" failed${where}: ${run.errorMessage}`,
      workflowId: workflow.id,
      runNumber,
      error: run.errorMessage,
      isExpiredByTime: run.isExpiredByTime,
      startDateTimeUTC: run.startDateTimeUTC,
      runBy: run.runBy,
      revision: run.revision,
      block: told?.block ?? null,
      call: told?.call ?? null,
      calls: told?.calls ?? [],
      input: told?.input ?? null,
      lastChange: change,
      similarFailures: similar,
    } satisfies Found
  },
})

async function tellBlock(client: Client, workflow: Workflow, block: Block, runNumber: number) {
  const asked = { params: { workflowId: workflow.id }, query: { uniqueBlockId: block.uniqueBlockId, runNumber } }
  const [log, calls, inputs] = await Promise.all([
    orNothing(client.getBlockUserLog(asked)),
    orNothing(client.getBlockCalls(asked)),
    readInputs(client, workflow, block, runNumber),
  ])
  const made = (calls?.result ?? []).map((call) => ({
    ...call,
    requestBody: shorten(call.requestBody),
    responseBody: shorten(call.responseBody),
  }))
  // The last call that went wrong; else the last one, after which the script stumbled.
  const wrong = made.findLast(({ outcome, statusCode }) => outcome !== 'Answered' || (statusCode ?? 0) >= 400)
  return {
    block: {
      uniqueBlockId: block.uniqueBlockId,
      blockName: block.blockName,
      script: block.script,
      log: shorten(log?.result ?? []),
    },
    call: wrong ?? made.at(-1) ?? null,
    calls: made,
    input: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, shorten(value)])),
  }
}

/** What changed between the last run that succeeded before this one and this one; if none did, the newest change before it. */
async function findLastChange(client: Client, { id, run }: Workflow, signal: AbortSignal) {
  if (!run) return null
  const params = { workflowId: id }
  const { items: good } = await client.getRunHistory({
    params,
    body: { page: 0, size: 1, status: 'Ready', searchTo: run.startDateTimeUTC },
    signal,
  })
  const { items: revisions } = await client.workflowRevisions({ params, body: { page: 0, size: 100 }, signal })
  const made = revisions.find(({ revision }) => revision === run.revision) ?? null
  const from = good[0]?.revision ?? run.revision - 1
  const lastReadyRun = good[0] ? { runNumber: good[0].lockVersionNumber, revision: good[0].revision } : null
  if (from === run.revision) return { isUnchanged: true, lastReadyRun, revision: made, difference: null }
  const difference =
    from < 1
      ? null
      : ((await orNothing(client.workflowDifference({ params, query: { from, to: run.revision }, signal }))) ?? null)
  return { isUnchanged: false, lastReadyRun, revision: made, difference: shorten(difference) }
}

/** The longest words of the message say most, and are the same in every run; numbers and ids are not. */
function wordsOf(message: string): string {
  const [line = ''] = message.replace(/^Block \d+ ".*?" failed(?: at line \d+)?: /, '').split('\n', 1)
  const words = [...new Set(line.match(/\p{L}{4,}/gu) ?? [])]
  return words
    .toSorted((one, other) => other.length - one.length)
    .slice(0, 5)
    .join(' ')
}

async function findSimilar(client: Client, { id, run }: Workflow, signal: AbortSignal) {
  const searchTerm = wordsOf(run?.errorMessage ?? '')
  if (searchTerm === '') return []
  const { items } = await client.searchRuns({ body: { searchTerm, in: ['error'], page: 0, size: 50 }, signal })
  const seen = new Set<string>([`${id} ${run?.lockVersionNumber}`])
  return items
    .filter(({ workflowId, runNumber }) => {
      const place = `${workflowId} ${runNumber}`
      return !seen.has(place) && seen.add(place)
    })
    .slice(0, 10)
    .map(({ workflowId, workflowName, runNumber, blockName, snippet, dateTimeUTC }) => ({
      workflowId,
      workflowName,
      runNumber,
      blockName,
      snippet,
      dateTimeUTC,
    }))
}
