// The fields of a chain element that say when and how often its block runs.
import { Type } from 'typebox'
import { Email } from './accounts.ts'
import { Guid } from './ids.ts'

const expressionCharactersMax = 2000
const closed = { additionalProperties: false } as const

const Expression = (description: string) =>
  Type.String({ minLength: 1, maxLength: expressionCharactersMax, description: `Expression. ${description}` })

export const ForEach = Type.Object(
  {
    items: Type.Optional(Expression('Gives the array of items; by default the result of the first data source.')),
    key: Type.Optional(Expression('Gives the key of an item, from item and index; by default the index.')),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        description: 'Items in progress at once. Default 1: strictly in order.',
      }),
    ),
    batchSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Items that the script is given at once. Default 1.' }),
    ),
    maxFailures: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 100_000 }), Type.String({ minLength: 1, maxLength: 10 })], {
        description: 'How many items may fail before the block fails: a number, "10%" or "all". Default 0.',
      }),
    ),
    stopAfter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'After so many failures in a row no further item starts. Default 10; 0 means never.',
      }),
    ),
    once: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 366,
        description: 'Days for which a key that succeeded is remembered and then skipped. Default 0.',
      }),
    ),
    collect: Type.Optional(
      Type.Enum(['results', 'counts'], { description: 'What the block returns: the results of its items, or counts.' }),
    ),
    sameItemsAs: Type.Optional({
      ...Guid,
      description: 'A data source with items: this block goes on with the items of that one.',
    }),
  },
  closed,
)

export const Retry = Type.Object(
  {
    times: Type.Integer({ minimum: 1, maximum: 10, description: 'Further tries.' }),
    firstSeconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 3600, description: 'Wait before the first of them. Default 10.' }),
    ),
    factor: Type.Optional(
      Type.Number({ minimum: 1, maximum: 10, description: 'How much longer each wait is than the last. Default 2.' }),
    ),
    maxSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600, description: 'Longest wait. Default 3600.' })),
    when: Type.Optional(Expression('Sees error {message, statusCode, response}; falsy means no further try.')),
  },
  closed,
)

export const FormField = Type.Object(
  {
    shortName: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
    displayName: Type.String({ minLength: 1, maxLength: 200 }),
    type: Type.String({ minLength: 1, maxLength: 20 }),
    required: Type.Boolean(),
  },
  closed,
)

const Approval = Type.Object(
  {
    title: Expression('Title of the request.'),
    message: Type.Optional(Expression('Text of the request.')),
    to: Type.Union([Type.Array(Email, { minItems: 1, maxItems: 20 }), Expression('Gives a list of addresses.')]),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: 'Approvals needed. Default 1.' })),
    form: Type.Optional(Type.Array(FormField, { maxItems: 50 })),
  },
  closed,
)

const waitSecondsMax = 366 * 86_400

export const Wait = Type.Object(
  {
    seconds: Type.Optional(
      Type.Union([Type.Number({ minimum: 0, maximum: waitSecondsMax }), Expression('Gives a number of seconds.')]),
    ),
    until: Type.Optional(Expression('Gives a date.')),
    events: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 20 })),
    key: Type.Optional(Expression('Gives the key of the event.')),
    approval: Type.Optional(Approval),
    timeoutHours: Type.Optional(
      Type.Number({ minimum: 1, maximum: 8784, description: 'Longest wait for an event or approval. Default 168.' }),
    ),
    onTimeout: Type.Optional(Type.Enum(['fail', 'continue'], { description: 'Default fail.' })),
  },
  closed,
)

export const SubWorkflow = Type.Object(
  {
    workflowId: Type.Optional({ ...Guid, description: 'A workflow of the same account.' }),
    workflowTemplateId: Type.Optional({ ...Guid, description: 'In templates: the template of that workflow.' }),
    input: Type.Optional(Expression('Gives the input; by default what the script returned.')),
  },
  closed,
)

const fields = {
  runWhen: Expression('Falsy: the block is skipped.'),
  needs: Type.Enum(['all', 'any', 'failed'], { description: 'Which of its data sources it needs. Default all.' }),
  forEach: { ...ForEach, description: 'The block runs once for each item.' },
  subWorkflow: { ...SubWorkflow, description: 'The block is a run of another workflow.' },
  wait: { ...Wait, description: 'After its script the block waits.' },
  retry: { ...Retry, description: 'Further tries of the block, or of each item.' },
  onError: Type.Enum(['stop', 'continue'], { description: 'What its failure means for the run. Default stop.' }),
  timeoutSeconds: Type.Integer({ minimum: 1, maximum: 900, description: 'Run time of one try in seconds.' }),
}

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description ?? '' })

/** In answers: null where nothing is said. */
export const flowAnswerFields = {
  runWhen: orNull(fields.runWhen),
  needs: orNull(fields.needs),
  forEach: orNull(fields.forEach),
  subWorkflow: orNull(fields.subWorkflow),
  wait: orNull(fields.wait),
  retry: orNull(fields.retry),
  onError: orNull(fields.onError),
  timeoutSeconds: orNull(fields.timeoutSeconds),
}

/** In requests: absence changes nothing, null takes the field away. */
export const flowInputFields = {
  runWhen: Type.Optional(flowAnswerFields.runWhen),
  needs: Type.Optional(flowAnswerFields.needs),
  forEach: Type.Optional(flowAnswerFields.forEach),
  subWorkflow: Type.Optional(flowAnswerFields.subWorkflow),
  wait: Type.Optional(flowAnswerFields.wait),
  retry: Type.Optional(flowAnswerFields.retry),
  onError: Type.Optional(flowAnswerFields.onError),
  timeoutSeconds: Type.Optional(flowAnswerFields.timeoutSeconds),
}
