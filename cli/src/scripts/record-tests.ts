// Tests from a real run: inputs as the blocks had them, and the answers that applications gave.
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Answer, noContent, PatchbayError } from '@patchbay/sdk'
import { stringify } from 'yaml'
import { Failure } from '../failure.ts'
import { maskedValue } from '../folders/portable.ts'
import type { WorkflowFolder } from '../folders/read-folder.ts'
import { findKnown } from '../folders/state.ts'
import { writeWhole } from '../folders/write-files.ts'
import type { Connection } from '../session/connect.ts'
import { madeCalls } from './judge.ts'
import { type TestFile, toBody } from './read-tests.ts'
import type { Tester } from './tester.ts'

type Options = { runNumber: number; tester: Tester; cwd: string }
type RunWorkflow = Answer<'Workflow'>
type Block = RunWorkflow['chain'][number]

const callsMax = 100

/** One file per block that ran; files that exist are the author's and stay. */
export async function recordTests(
  connection: Connection,
  { folder, workflow }: WorkflowFolder,
  options: Options,
): Promise<string[]> {
  const known = findKnown(folder, connection)
  if (!known) throw new Failure('This folder was never pulled from or pushed to the server. Pull it first.')
  const place = { client: connection.client, workflowId: known.id, runNumber: options.runNumber }
  const ran = await connection.client.workflow({ params: { id: known.id }, query: { runNumber: options.runNumber } })
  const keys = new Map(Object.entries(known.blocks).map(([key, id]) => [id, key]))
  const webhook = await readWebhook(place.client, ran)
  const files: string[] = []
  for (const [index, block] of ran.chain.entries()) {
    const key = keys.get(block.uniqueBlockId)
    if (key === undefined || !workflow.blocks.some((one) => one.key === key)) continue
    const path = join(folder, 'tests', `${key}-run-${options.runNumber}.yaml`)
    if (existsSync(path)) continue
    const test = await recordBlock(place, ran, { block, key, before: ran.chain[index - 1], webhook }, options.tester)
    if (!test) continue
    writeWhole(path, stringify(test, { lineWidth: 0, aliasDuplicateObjects: false }))
    files.push(relative(options.cwd, path))
  }
  return files
}

type Place = { client: Connection['client']; workflowId: string; runNumber: number }
type Recorded = { block: Block; key: string; before: Block | undefined; webhook: unknown }

async function recordBlock(
  place: Place,
  ran: RunWorkflow,
  { block, key, before, webhook }: Recorded,
  tester: Tester,
): Promise<TestFile | undefined> {
  const result = await readOf(place, block, 'getBlockResult')
  if (!result) return undefined
  const sources = await Promise.all(
    block.dataSources.map(
      async (uniqueBlockId) => (await readOf(place, { uniqueBlockId }, 'getBlockResult'))?.result ?? null,
    ),
  )
  const session = before
    ? ((await readOf(place, before, 'getBlockSession'))?.result as Record<string, unknown> | undefined)
    : undefined
  const given: Omit<TestFile, 'expect'> = {
    block: key,
    ...(sources.length > 0 ? { datasource: sources } : {}),
    variables: variablesOf(ran, block),
    ...(webhook === undefined ? {} : { webhook }),
    ...(session && Object.keys(session).length > 0 ? { session } : {}),
  }
  const answers = await findAnswers(place, block, given, tester)
  const expect = result.success ? { result: result.result } : { error: String(result.result).split('\n', 1)[0] ?? '' }
  return { ...given, ...(answers.length > 0 ? { answers } : {}), expect }
}

/** Undefined where the run never came to the block. */
async function readOf(
  { client, workflowId, runNumber }: Place,
  { uniqueBlockId }: { uniqueBlockId: string },
  what: 'getBlockResult' | 'getBlockSession',
) {
  try {
    const parts = { params: { workflowId }, query: { uniqueBlockId, runNumber } }
    return (await client[what](parts)) as { success?: boolean; result: unknown }
  } catch (error) {
    if (error instanceof PatchbayError && error.status === 404) return undefined
    throw error
  }
}

/** Secrets are left out: the test says what it needs, and the author gives a harmless value. */
function variablesOf(ran: RunWorkflow, block: Block): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(block.variables)
      .map(([name, { variableSource, value, variableName }]): [string, unknown] => [
        name,
        variableSource === 'Workflow' ? ran.variables[variableName as string]?.value : value,
      ])
      .filter(([, value]) => value !== maskedValue),
  )
}

async function readWebhook(client: Connection['client'], ran: RunWorkflow): Promise<unknown> {
  const [webhookId] = ran.run?.webhookIds ?? []
  if (webhookId === undefined) return undefined
  const found = await client.getWebhook({ params: { webhookId } })
  return found === noContent
    ? undefined
    : { id: webhookId, body: found.webhookValue, headers: {}, urlParameters: {}, method: 'POST' }
}

/**
 * The run knows the real addresses, the test the ones that the script writes. So the script is run with the answers found so far: the
 * call that lacks one is the next of the run.
 */
async function findAnswers(
  place: Place,
  block: Block,
  given: Omit<TestFile, 'expect'>,
  tester: Tester,
): Promise<NonNullable<TestFile['answers']>> {
  const parts = {
    params: { workflowId: place.workflowId },
    query: { uniqueBlockId: block.uniqueBlockId, runNumber: place.runNumber },
  }
  const calls = (await place.client.getBlockCalls(parts)).result
  const answers: NonNullable<TestFile['answers']> = []
  for (const call of calls.slice(0, callsMax)) {
    if (call.outcome !== 'Answered') break
    if (call.responseBody === null && call.responseBytes !== 0) {
      throw new Failure(
        `Run ${place.runNumber} kept no bodies of calls. Set recordCallBodies: true, push, and run again.`,
      )
    }
    const tried = await tester.test(toBody({ ...given, answers }, block.script))
    const missing = tried.calls.find(({ errorMessage }) => errorMessage?.startsWith('There is no recorded answer'))
    if (!missing) break
    const [made] = madeCalls({ ...tried, calls: [missing] })
    if (!made) break
    answers.push({
      method: made.method,
      url: made.url,
      statusCode: call.statusCode ?? 200,
      data: parseBody(call.responseBody ?? ''),
    })
  }
  return answers
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
