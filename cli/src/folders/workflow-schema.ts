// JSON Schema of workflow.yaml, for editors and for the command itself.
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
        },
      },
    },
  },
}
