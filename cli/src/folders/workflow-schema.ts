// JSON Schema of workflow.yaml, for editors and for the command itself.
import type { flowFieldNames } from '@patchbay/sdk'
import type { Shape } from './check-shape.ts'

const text = { type: 'string', minLength: 1 } as const

const binding: Shape = {
  type: 'object',
  description: 'One of value, env and workflow.',
  properties: {
    type: { type: 'string' },
    value: { description: 'The value itself.' },
    env: { ...text, description: 'Environment variable that holds the secret when the workflow is pushed.' },
    workflow: { ...text, description: 'The workflow variable that gives the value.' },
  },
  additionalProperties: false,
}

const variable: Shape = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'text, password, number, boolean, date, select, multiselect or json.' },
    value: { description: 'The value. Passwords use env instead.' },
    env: { ...text, description: 'Environment variable that holds the secret when the workflow is pushed.' },
    required: { type: 'boolean' },
    displayName: { type: 'string' },
    options: { type: 'array', items: { type: 'string' } },
  },
  additionalProperties: false,
}

/** What the service checks is not checked twice; names of fields are. */
const fieldsOf = (description: string, ...names: string[]): Shape => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, {}])),
})

const flow: Record<(typeof flowFieldNames)[number], Shape> = {
  runWhen: { ...text, description: 'Expression. Falsy: the block is skipped.' },
  needs: { type: 'string', description: 'all, any or failed: which of its data sources it needs.' },
  forEach: fieldsOf(
    'The block runs once for each item. sameItemsAs names a block by its script file without .js.',
    ...['items', 'key', 'concurrency', 'batchSize', 'maxFailures', 'stopAfter', 'once', 'collect', 'sameItemsAs'],
  ),
  subWorkflow: fieldsOf('The block is a run of another workflow.', 'workflowId', 'workflowTemplateId', 'input'),
  wait: fieldsOf(
    'After its script the block waits.',
    ...['seconds', 'until', 'events', 'key', 'approval', 'timeoutHours', 'onTimeout'],
  ),
  retry: fieldsOf('Further tries.', 'times', 'firstSeconds', 'factor', 'maxSeconds', 'when'),
  onError: { type: 'string', description: 'stop or continue: what its failure means for the run.' },
  timeoutSeconds: { type: 'integer', description: 'Run time of one try in seconds.' },
}

export const workflowSchema: Shape = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Patchbay workflow',
  type: 'object',
  required: ['name', 'blocks'],
  additionalProperties: false,
  properties: {
    name: text,
    description: { type: 'string' },
    template: {
      type: 'object',
      description: 'The template that the workflow was made from.',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: text,
        version: text,
        isDetached: { type: 'boolean', description: 'True: the blocks no longer follow the template.' },
      },
    },
    applications: {
      type: 'object',
      description: 'Short name of an application to the label of its registration.',
      additionalProperties: text,
    },
    variables: { type: 'object', additionalProperties: variable },
    timeoutSeconds: { type: 'integer' },
    recordCallBodies: { type: 'boolean' },
    blocks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'script'],
        additionalProperties: false,
        properties: {
          name: text,
          script: {
            type: 'string',
            pattern: '^blocks/[^/\\\\]+\\.js$',
            description: 'File of the script: blocks/NAME.js.',
          },
          template: { ...text, description: 'The block template it was made from.' },
          application: { ...text, description: 'Short name of the application it calls.' },
          dataSources: {
            type: 'array',
            items: text,
            description: 'Blocks whose results are the inputs, by the names of their script files without .js.',
          },
          variables: { type: 'object', additionalProperties: binding },
          ...flow,
        },
      },
    },
  },
}
