// Tests from a real run: inputs as the blocks had them, and the answers that applications gave.
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { orNothing, readInputs } from '@patchbay/mcp/run-inputs'
import { type Answer, maskedValue } from '@patchbay/sdk'
import { Failure } from '../failure.ts'
import type { WorkflowFolder } from '../folders/read-folder.ts'
import { findKnown } from '../folders/state.ts'
import { writeWhole } from '../folders/write-files.ts'
import { writeYaml } from '../folders/write-yaml.ts'
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
  const files: string[] = []
  for (const block of ran.chain) {
    const key = keys.get(block.uniqueBlockId)
    if (key === undefined || !workflow.blocks.some((one) => one.key === key)) continue
    const path = join(folder, 'tests', `${key}-run-${options.runNumber}.yaml`)
    if (existsSync(path)) continue
    const test = await recordBlock(place, ran, { block, key }, options.tester)
    if (!test) continue
    writeWhole(folder, path, writeYaml(test))
    files.push(relative(options.cwd, path))
  }
  return files
}

type Place = { client: Connection['client']; workflowId: string; runNumber: number }

/** Undefined where the run never came to the block. */
async function recordBlock(
  place: Place,
  ran: RunWorkflow,
  { block, key }: { block: Block; key: string },
  tester: Tester,
): Promise<TestFile | undefined> {
  const { client, workflowId, runNumber } = place
  const { uniqueBlockId } = block
  const result = await orNothing(client.getBlockResult({ params: { workflowId }, query: { uniqueBlockId, runNumber } }))
  if (!result) return undefined
  const inputs = await readInputs(client, ran, block, runNumber)
  const given: Omit<TestFile, 'expect'> = {
    block: key,
    ...(inputs.dataSources.length > 0 ? { datasource: inputs.dataSources } : {}),
    variables: withoutSecrets(inputs.variables),
    ...(inputs.webhook === undefined ? {} : { webhook: inputs.webhook }),
    ...(inputs.sessionVars && Object.keys(inputs.sessionVars).length > 0 ? { session: inputs.sessionVars } : {}),
  }
  const answers = await findAnswers(place, block, given, tester)
  const expect = result.success ? { result: result.result } : { error: String(result.result).split('\n', 1)[0] ?? '' }
  return { ...given, ...(answers.length > 0 ? { answers } : {}), expect }
}

/** The test says what it needs, and the author gives a harmless value. */
function withoutSecrets(variables: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== maskedValue))
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
