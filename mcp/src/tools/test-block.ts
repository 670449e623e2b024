import type { BodyOf, Operations } from '@patchbay/sdk'
import { type Static, Type } from 'typebox'
import { type Block, findBlock, findWorkflow } from '../find-workflow.ts'
import { RunNumber, WorkflowId } from '../inputs.ts'
import { readInputs } from '../run-inputs.ts'
import { type Found, ToolRefusal, tool } from '../tool.ts'

const json = (description: string) =>
  Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', description }))

const Input = Type.Object(
  {
    script: Type.Optional(Type.String({ description: 'The script; that of the block when absent.' })),
    workflowId: Type.Optional(WorkflowId),
    block: Type.Optional(Type.String({ description: 'Name or uniqueBlockId of a block of that workflow.' })),
    runNumber: Type.Optional({
      ...RunNumber,
      description: 'Take what is not given below from this run: data sources, variables, webhook, session.',
    }),
    dataSources: Type.Optional(Type.Array(Type.Unknown(), { description: 'What the script sees as Datasource.' })),
    variables: json('What the script sees as variables.'),
    sessionVars: json('What the script sees as session.vars.'),
    webhook: Type.Optional(Type.Unknown({ description: 'What the script sees as webhook.' })),
    dateLastRun: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    vault: json('What the vault of the workflow holds.'),
    vaultGlobal: json('What the vault of the account holds.'),
    recordedAnswers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            method: Type.Optional(Type.String({ description: 'GET when absent.' })),
            url: Type.String({ description: 'As the script writes it: TEST/orders.' }),
            statusCode: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
            data: Type.Optional(Type.Unknown({ description: 'Body of the response.' })),
          },
          { additionalProperties: false },
        ),
        { description: 'What applications answer. No call leaves the service; one without an answer here fails.' },
      ),
    ),
    input: Type.Optional(Type.Unknown({ description: 'What the script sees as run.input.' })),
    item: Type.Optional(Type.Unknown({ description: 'For a block with forEach: what the script sees as item.' })),
    index: Type.Optional(Type.Integer({ minimum: 0, description: 'What the script sees as index.' })),
    itemKey: Type.Optional(Type.String({ description: 'What the script sees as itemKey.' })),
    allItems: Type.Optional(
      Type.Boolean({ description: 'Run the script for each item of the list, up to 20. Not with item.' }),
    ),
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  },
  { additionalProperties: false },
)

export const testBlock = tool({
  name: 'test_block',
  title: 'Test a script',
  description:
    'Run a script in the sandbox of the service with given inputs, or with those a block had in a run. No call leaves the service, nothing is written, nothing appears in the history.',
  input: Input,
  async run(client, input, signal) {
    const { script, given } = await fillIn(client, input)
    const answer = await client.testBlock({
      body: { ...given, script } as BodyOf<Operations['TestBlock']>,
      signal,
    })
    const place = answer.line === null ? '' : ` at line ${answer.line}`
    const summary = answer.success
      ? `The script returned a result after ${answer.durationInMilliSec} ms.`
      : `The script failed${place}: ${String(answer.result)}`
    return { summary, ...answer } satisfies Found
  },
})

type Client = Parameters<typeof findWorkflow>[0]

async function fillIn(client: Client, { workflowId, block, runNumber, script, ...given }: Static<typeof Input>) {
  if (workflowId === undefined || block === undefined) {
    if (script === undefined) throw new ToolRefusal('Give a script, or a workflowId and a block whose script is meant.')
    return { script, given }
  }
  const workflow = await findWorkflow(client, workflowId, runNumber)
  const meant = findBlock(workflow, block)
  const inputs = runNumber === undefined ? {} : await readInputs(client, workflow, meant, runNumber)
  return { script: script ?? meant.script, given: { ...inputs, ...listOf(given, meant.forEach), ...given } }
}

/** How the block gets its items, where they are tested. */
function listOf({ allItems, item }: Static<typeof Input>, forEach: Block['forEach']) {
  if (!forEach || !(allItems || item !== undefined)) return {}
  const { items, key, batchSize } = forEach
  const fields = Object.entries({ items, key, batchSize }).filter(([, value]) => value !== undefined)
  return { forEach: Object.fromEntries(fields) }
}
