import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, BodyOf, Operations } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { counted } from '../counted.ts'
import { Failure, wrongUse } from '../failure.ts'
import { makePlan } from '../folders/plan.ts'
import { readFolders } from '../folders/read-folder.ts'
import { toInput } from '../folders/to-service.ts'
import type { Connection } from '../session/connect.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import type { Terminal } from '../terminal.ts'
import { readNumber } from './read-number.ts'

type Options = { runs?: string; last?: string; revision?: string; with?: string }
type Replay = Answer<'Replay'>
type Body = BodyOf<Operations['ReplayStart']>

const askEveryMs = 300
const noteEveryMs = 5000

/** 1 when a run fails that did not fail before, 3 when results or calls differ. */
export async function replay(context: Context, options: Options, name: string): Promise<0 | 1 | 3> {
  const { terminal } = context
  const body = readOptions(options)
  const connection = await context.connect()
  const { id } = await findWorkflow(connection.client, name)
  const changes = options.with === undefined ? {} : { changes: await changesOf(context, connection, options.with, id) }
  const { replayId } = await connection.client.replayStart({ params: { id }, body: { ...body, ...changes } })
  const found = await waitForEnd(context, connection, replayId)
  terminal.result({ replayId, ...found }, () => describe(terminal, found))
  if (found.state === 'Failed' || found.counts.failed > 0) return 1
  return found.counts.different > 0 ? 3 : 0
}

function readOptions(options: Options): Body {
  if (options.runs !== undefined && options.last !== undefined) throw wrongUse('Give --runs or --last, not both.')
  if (options.revision !== undefined && options.with !== undefined)
    throw wrongUse('Give --revision or --with, not both.')
  return {
    ...(options.runs === undefined
      ? {}
      : { runNumbers: options.runs.split(',').map((no) => readNumber('--runs', no)) }),
    ...(options.last === undefined ? {} : { lastRuns: readNumber('--last', options.last) }),
    ...(options.revision === undefined ? {} : { revision: readNumber('--revision', options.revision) }),
  }
}

/** What a push of the folder would send. Nothing is saved. */
async function changesOf(context: Context, connection: Connection, folder: string, id: string) {
  const { names, steps } = await makePlan(connection, readFolders(context.cwd, [folder]), { readsAll: true })
  const step = steps.find(({ current }) => current?.id === id)
  if (!step) throw new Failure(`${folder} is not the folder of this workflow. Pull it first.`)
  const { blockIds, current } = step
  return toInput(step.workflow, { names, env: context.env, blockIds, current, withSecrets: false }).body
}

async function waitForEnd({ terminal, signal }: Context, { client }: Connection, id: string): Promise<Replay> {
  let noteAt = Date.now() + noteEveryMs
  for (;;) {
    const found = await client.replay({ params: { id }, signal })
    if (found.state !== 'Running') return found
    if (Date.now() > noteAt) {
      terminal.note(`${counted(found.runs.length, 'run')} replayed so far.`)
      noteAt += noteEveryMs
    }
    await wait(askEveryMs, undefined, { signal })
  }
}

const colours = { same: 'green', different: 'yellow', failed: 'red', notReplayable: 'gray' } as const

function describe(terminal: Terminal, { state, runs, counts }: Replay): string {
  const lines = runs.flatMap(({ runNumber, outcome, message, blocks }) => [
    `run ${runNumber}  ${terminal.paint(colours[outcome], outcome)}${message ? `  ${message}` : ''}`,
    ...blocks.flatMap((block) => [
      ...block.result.map((change) => `  ${block.blockName}  result  ${JSON.stringify(change)}`),
      ...block.calls.map(({ change, method, url }) => `  ${block.blockName}  call ${change}  ${method} ${url}`),
    ]),
  ])
  const sum = `${counts.same} same, ${counts.different} different, ${counts.failed} failed, ${counts.notReplayable} not replayable.`
  return [...lines, state === 'Failed' ? `The replay itself failed. ${sum}` : sum].join('\n')
}
