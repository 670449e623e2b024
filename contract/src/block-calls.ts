// What blocks call, in runs and when they are tested alone.
import { type TSchema, Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { ItemOfRun, itemOfRun, WorkflowId } from './runs.ts'

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const BlockCall = Type.Object(
  {
    method: Type.String({ description: 'GET, POST and so on.' }),
    url: Type.String({
      description: 'Address of the call, without secrets. Short name and endpoint if there was no response.',
    }),
    outcome: Type.Enum(['Answered', 'Failed', 'Unknown'], {
      description:
        'Failed: there was no response. Unknown: it is in progress, or its worker died before the response was recorded.',
    }),
    statusCode: orNull(Type.Integer(), 'Status of the response; null if there was none.'),
    errorMessage: orNull(Type.String(), 'Why there was no response.'),
    startDateTimeUTC: { ...Timestamp, description: 'When it was sent.' },
    durationInMilliSec: orNull(Type.Integer(), 'How long it took, including waits for the target.'),
    requestBytes: orNull(Type.Integer(), 'Size of the body that was sent.'),
    responseBytes: orNull(Type.Integer(), 'Size of the body that came back.'),
    idempotencyKey: orNull(Type.String(), 'The Idempotency-Key of a write. It is the same when the block runs again.'),
    attempt: Type.Integer({ description: 'Greater than 1 when the run had changed workers before.' }),
    requestBody: orNull(Type.String(), 'Only with recordCallBodies: its beginning, secrets masked.'),
    responseBody: orNull(Type.String(), 'Only with recordCallBodies: its beginning, secrets masked.'),
  },
  { description: 'One call that a block made to an application.' },
)

export const getBlockCalls = operation({
  name: 'GetBlockCalls',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockCalls/:workflowId',
  description:
    'The calls that a block made to applications in a run. They are listed for an interrupted run too, so you can see what had already been sent.',
  params: WorkflowId,
  query: ItemOfRun,
  answers: {
    200: Type.Object({
      ...itemOfRun,
      result: Type.Array(BlockCall),
      omitted: Type.Integer({
        description: 'Number of calls left out because there were too many; reads are left out first.',
      }),
    }),
  },
  refuses: ['not_found'],
})

const JsonObject = Type.Record(Type.String(), Type.Unknown())
const RecordedAnswer = Type.Object(
  {
    method: Type.Optional(Type.String({ maxLength: 10, description: 'GET when absent.' })),
    url: Type.String({ maxLength: 8192, description: 'Short name and address as the script writes it: TEST/orders.' }),
    statusCode: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: '200 when absent.' })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    data: Type.Optional(Type.Unknown({ description: 'Body of the response.' })),
  },
  { additionalProperties: false },
)

export const TestedCall = Type.Object(
  {
    kind: Type.String({ description: 'api.get, api.post, api.send, vault.get, vault.set, email.send and so on.' }),
    arguments: Type.Unknown({ description: 'What the script passed in.' }),
    answer: Type.Unknown({ description: 'What the script got; null when the call was refused.' }),
    errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why the call was refused.' }),
    durationInMilliSec: Type.Integer({ description: 'How long it took.' }),
  },
  { description: 'A call that a tested script made.' },
)

const testedItemsMax = 20
const Expression = Type.String({ minLength: 1, maxLength: 2000 })

const TestedItem = Type.Object(
  {
    index: Type.Integer(),
    itemKey: Type.String(),
    success: Type.Boolean(),
    result: Type.Unknown({ description: 'What the script returned; the error message when success is false.' }),
    line: Type.Union([Type.Integer(), Type.Null()]),
    column: Type.Union([Type.Integer(), Type.Null()]),
    log: Type.Array(Type.String()),
  },
  { description: 'One item of a tested script.' },
)

export const testBlock = operation({
  name: 'TestBlock',
  feature: 'Runs',
  method: 'POST',
  path: '/api/TestBlock',
  description:
    'Run one script with given inputs, without a workflow and without leaving a run behind. Calls to applications go to real registered ones where `applications` names them, else they get the recorded responses. Vault and mail are not touched. With `allItems` the script runs once for each item.',
  body: Type.Object(
    {
      script: Type.String({ maxLength: 1_048_576 }),
      dataSources: Type.Optional(
        Type.Array(Type.Unknown(), { maxItems: 100, description: 'What the script sees as Datasource.' }),
      ),
      variables: Type.Optional(JsonObject),
      sessionVars: Type.Optional(JsonObject),
      webhook: Type.Optional(Type.Unknown()),
      dateLastRun: Type.Optional(Type.Union([Timestamp, Type.Null()])),
      vault: Type.Optional({ ...JsonObject, description: 'What the vault of the workflow holds.' }),
      vaultGlobal: Type.Optional({ ...JsonObject, description: 'What the vault of the account holds.' }),
      applications: Type.Optional(
        Type.Record(Type.String(), Guid, { description: 'Short name to the id of a registered application to call.' }),
      ),
      recordedAnswers: Type.Optional(
        Type.Array(RecordedAnswer, {
          maxItems: 1000,
          description: 'Used in order by calls with the same method and url; the last one is repeated.',
        }),
      ),
      timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 30 })),
      input: Type.Optional(Type.Unknown({ description: 'What the script sees as run.input.' })),
      try: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 11, default: 1, description: 'What the script sees as run.try.' }),
      ),
      error: Type.Optional(Type.Unknown({ description: 'What the script and its expressions see as error.' })),
      runWhen: Type.Optional({ ...Expression, description: 'Expression. Falsy: the script is skipped.' }),
      item: Type.Optional(Type.Unknown({ description: 'What the script sees as item.' })),
      index: Type.Optional(Type.Integer({ minimum: 0, maximum: 99_999, description: 'Place of the item. Default 0.' })),
      itemKey: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Key of the item; by default what forEach.key gives, or the index.',
        }),
      ),
      allItems: Type.Optional(
        Type.Boolean({
          description: `Run the script for each item, up to the first ${testedItemsMax}. Not with item, index or itemKey.`,
        }),
      ),
      items: Type.Optional(
        Type.Array(Type.Unknown(), {
          maxItems: testedItemsMax,
          description: 'The items, in place of what forEach.items gives. Implies allItems.',
        }),
      ),
      forEach: Type.Optional(
        Type.Object(
          {
            items: Type.Optional({ ...Expression, description: 'Expression. Default: the first data source.' }),
            key: Type.Optional({ ...Expression, description: 'Expression. Default: the index.' }),
            batchSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1 })),
          },
          { additionalProperties: false, description: 'How the block gets its items, as in a chain element.' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      success: Type.Boolean(),
      result: Type.Unknown({ description: 'What the script returned; the error message when success is false.' }),
      line: Type.Union([Type.Integer(), Type.Null()], { description: 'Where the script failed, if that is known.' }),
      column: Type.Union([Type.Integer(), Type.Null()]),
      log: Type.Array(Type.String()),
      sessionVars: JsonObject,
      deferredVault: Type.Object({ workflow: JsonObject, global: JsonObject }),
      stopAfterThisBlock: Type.Union([Type.Boolean(), Type.Null()], {
        description:
          'What the script passed to fx.stopAfterThisBlock. Null: it did not call it, so a run would continue.',
      }),
      calls: Type.Array(TestedCall),
      durationInMilliSec: Type.Integer(),
      pauseInMilliSec: Type.Integer(),
      skipped: Type.Boolean({ description: 'runWhen was falsy, so the script did not run.' }),
      response: Type.Union(
        [
          Type.Object({
            statusCode: Type.Integer(),
            headers: Type.Record(Type.String(), Type.String()),
            body: Type.String(),
          }),
          Type.Null(),
        ],
        { description: 'What the script gave to fx.respond first; null when it did not call it.' },
      ),
      items: Type.Union([Type.Array(TestedItem), Type.Null()], {
        description: 'With allItems: what became of each item. result is then the array of their results.',
      }),
      itemsTotal: Type.Union([Type.Integer(), Type.Null()], {
        description: `Number of items in the list; the first ${testedItemsMax} of them are tested.`,
      }),
    }),
  },
  example: {
    body: {
      script: "const orders = await api.get('TEST/orders')\nreturn orders.length",
      recordedAnswers: [{ url: 'TEST/orders', data: [{ id: 1 }] }],
    },
  },
})
