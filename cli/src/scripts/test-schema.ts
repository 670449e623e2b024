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
        log: { type: 'array', items: { type: 'string' }, description: 'Lines that are logged, in order.' },
      },
    },
  },
}
