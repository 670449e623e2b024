import type { Answer, BodyOf, Client, Operations } from '@patchbay/sdk'
import { Type } from 'typebox'
import { findWorkflow } from '../find-workflow.ts'
import { BlockScripts, Changes, RunNumber, WorkflowId } from '../inputs.ts'
import { shorten } from '../shorten.ts'
import { ToolRefusal, tool } from '../tool.ts'
import { bodyOf } from './propose-change.ts'

/** Clients give up on a tool after a minute; a longer replay is read later by its id. */
const waitMsMax = 45_000
const askEveryMs = 250

export const replay = tool({
  name: 'replay',
  title: 'Replay recorded runs',
  description:
    'Run recorded runs again against the newest revision, an earlier one, or changes that are not saved, and compare. No call leaves the service and nothing is written. A long replay returns a replayId to ask again with.',
  input: Type.Object(
    {
      workflowId: Type.Optional(WorkflowId),
      runNumbers: Type.Optional(Type.Array(RunNumber, { minItems: 1, maxItems: 200 })),
      lastRuns: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: 'The newest recorded runs; 10 by default.' }),
      ),
      revision: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Against this revision. Not with blocks or changes.' }),
      ),
      blocks: Type.Optional(BlockScripts),
      changes: Type.Optional(Changes),
      replayId: Type.Optional(Type.String({ description: 'Only look at this replay, which was started before.' })),
    },
    { additionalProperties: false },
  ),
  async run(client, { workflowId, replayId, blocks, changes, ...body }, signal) {
    if (replayId !== undefined) return tell(replayId, await waitFor(client, replayId, signal))
    if (workflowId === undefined) throw new ToolRefusal('Give a workflowId, or the replayId of an earlier call.')
    const workflow = await findWorkflow(client, workflowId)
    const started = await client.replayStart({
      params: { id: workflow.id },
      body: {
        ...body,
        ...(blocks || changes
          ? { changes: bodyOf(workflow, { ...(blocks ? { blocks } : {}), ...(changes ? { changes } : {}) }) }
          : {}),
      } as BodyOf<Operations['ReplayStart']>,
      signal,
    })
    return tell(started.replayId, await waitFor(client, started.replayId, signal))
  },
})

async function waitFor(client: Client, id: string, signal: AbortSignal): Promise<Answer<'Replay'>> {
  const until = Date.now() + waitMsMax
  for (;;) {
    const found = await client.replay({ params: { id }, signal })
    if (found.state !== 'Running' || Date.now() > until) return found
    await new Promise((done) => setTimeout(done, askEveryMs))
    signal.throwIfAborted()
  }
}

function tell(replayId: string, { state, counts, runs }: Answer<'Replay'>) {
  const { same, different, failed, notReplayable } = counts
  const sum = `${same} same, ${different} different, ${failed} failed, ${notReplayable} not replayable`
  const summary = state === 'Running' ? `Still running: ${sum}. Ask again with replayId.` : `${state}: ${sum}.`
  return { summary, replayId, state, counts, runs: shorten(runs) }
}
