import type { Client, ItemOf } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import type { Terminal } from '../terminal.ts'
import { showLogs } from './logs.ts'
import { readJson } from './read-json.ts'
import { readNumber } from './read-number.ts'

type Options = { follow?: boolean; from?: string; till?: string; input?: string; wait?: string }
type Run = ItemOf<'GetRunHistory'>

const ended = new Set(['Ready', 'Error', 'Stopped'])
/** The stream tells of the end at once; asking is for an end that came before the stream was open. */
const askEveryMs = 2000

export async function run(context: Context, options: Options, name: string): Promise<0 | 1> {
  const { terminal } = context
  const { client } = await context.connect()
  const workflow = await findWorkflow(client, name)
  const input = options.input === undefined ? {} : { input: await readJson(context, '--input', options.input) }
  if (options.wait !== undefined) return runAndWait(context, client, workflow.id, { ...options, input })
  const started = await client.exchange('RunWorkflow', {
    body: {
      workflowId: workflow.id,
      ...input,
      ...(options.from === undefined ? {} : { runFromBlock: readNumber('--from', options.from) }),
      ...(options.till === undefined ? {} : { runTillBlock: readNumber('--till', options.till) }),
    },
  })
  const runNumber = Number(started.headers.get('x-run-number'))
  if (!options.follow) {
    terminal.result({ workflowId: workflow.id, runNumber }, () => started.data)
    return 0
  }
  terminal.note(started.data)
  const found = await waitForEnd(client, workflow.id, runNumber, context.signal)
  if (!terminal.isJson) await showLogs(context, { client, workflowId: workflow.id, runNumber })
  terminal.result(found, () => describeEnd(terminal, found))
  return found.status === 'Ready' ? 0 : 1
}

const waitSecondsMax = 60

async function runAndWait(
  { terminal }: Context,
  client: Client,
  workflowId: string,
  { wait = '', follow, from, till, input }: Omit<Options, 'input'> & { input: { input?: unknown } },
): Promise<0 | 1> {
  if (follow || from !== undefined || till !== undefined)
    throw wrongUse('--wait cannot be used with --follow, --from or --till.')
  const waitSeconds = readNumber('--wait', wait, waitSecondsMax)
  const ran = await client.runAndWait({ params: { workflowId }, body: { ...input, waitSeconds } })
  terminal.result(ran, () => {
    if (ran.status === 'Ready') return JSON.stringify(ran.result, null, 2)
    return `Run ${ran.runNumber} is ${ran.status}.${ran.errorMessage ? `\n${ran.errorMessage}` : ''}`
  })
  return ran.status === 'Ready' ? 0 : 1
}

async function waitForEnd(client: Client, workflowId: string, runNumber: number, signal: AbortSignal): Promise<Run> {
  const find = async () => {
    const body = { page: 0, size: 1, lockVersionNumber: runNumber }
    return (await client.getRunHistory({ params: { workflowId }, body, signal })).items[0] as Run
  }
  for (;;) {
    const found = await find()
    if (ended.has(found.status)) return found
    const until = AbortSignal.any([signal, AbortSignal.timeout(askEveryMs)])
    for await (const event of client.stream({ workflowId, signal: until })) {
      if (event.type === 'run.ended' && event.data['runNumber'] === runNumber) break
    }
    signal.throwIfAborted()
  }
}

function describeEnd(terminal: Terminal, { lockVersionNumber, status, durationInMilliSec, errorMessage }: Run): string {
  const colour = status === 'Ready' ? 'green' : 'red'
  const sentence = `Run ${lockVersionNumber} ended as ${terminal.paint(colour, status)} after ${durationInMilliSec} ms.`
  return errorMessage ? `${sentence}\n${errorMessage}` : sentence
}
