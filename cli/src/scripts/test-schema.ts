// JSON Schema of tests/*.yaml, for editors and for the command itself.
import type { Shape } from '../folders/check-shape.ts'

const json = { type: 'object', additionalProperties: true } as const

const answer: Shape = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    method: { type: 'string', description: 'GET when absent.' },
    url: { type: 'string', description: 'Short name and address as the script writes it: TEST/orders.' },
    statusCode: { type: 'integer', description: '200 when absent.' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    data: { description: 'Body of the response.' },
  },
}

export const testSchema: Shape = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Patchbay block test',
  type: 'object',
  required: ['block', 'expect'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'What the test shows; the file name when absent.' },
    block: {
      type: 'string',
      minLength: 1,
      description: 'The block: its name, or the name of its script file without .js.',
    },
    datasource: { type: 'array', description: 'What the script sees as Datasource.' },
    variables: { ...json, description: 'What the script sees as variables.' },
    webhook: { description: 'What the script sees as webhook.' },
    dateLastRun: { type: ['string', 'null'] },
    session: { ...json, description: 'session.vars before the block.' },
    vault: { ...json, description: 'What the vault of the workflow holds.' },
    vaultGlobal: { ...json, description: 'What the vault of the account holds.' },
    answers: { type: 'array', items: answer, description: 'What the applications answer, in order.' },
    timeoutSeconds: { type: 'integer' },
    input: { description: 'What the script sees as run.input.' },
    try: { type: 'integer', description: 'What the script sees as run.try. 1 when absent.' },
    error: {
      description: 'A failed data source: what a handler sees as Datasource[0].error, and a retry rule as error.',
    },
    item: { description: 'What the script sees as item.' },
    index: { type: 'integer', description: 'What the script sees as index. 0 when absent.' },
    items: {
      type: 'array',
      description:
        'Items that the block runs for, up to 20, one after the other or in its batches. The result is an array.',
    },
    expect: {
      type: 'object',
      additionalProperties: false,
      properties: {
        result: { description: 'What the script returns.' },
        error: { type: 'string', description: 'Text that the error message contains.' },
        calls: {
          type: 'array',
          description: 'The calls to applications, in order: "GET TEST/orders", or an object with data.',
          items: {
            type: ['string', 'object'],
            additionalProperties: false,
            required: ['url'],
            properties: { method: { type: 'string' }, url: { type: 'string' }, data: { description: 'What is sent.' } },
          },
        },
        skipped: { type: 'boolean', description: 'Whether runWhen keeps the block from running.' },
        response: {
          ...json,
          description:
            'What the script gives to fx.respond: statusCode, headers, body. Fields that are not named are not compared.',
        },
        log: { type: 'array', items: { type: 'string' }, description: 'Lines that are logged, in order.' },
      },
    },
  },
}
