import { Type } from 'typebox'
import { eventScopes } from './events.ts'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

const Scope = Type.Enum([...eventScopes], {
  description:
    'account: runs of the account itself (the default). managed: those of every other account that it may act for.',
})
const Chosen = Type.Union([Guid, Type.Null()], { description: 'A deployed workflow of the account; null for none.' })

export const getErrorWorkflow = operation({
  name: 'ErrorWorkflow',
  feature: 'Runs',
  method: 'GET',
  path: '/api/ErrorWorkflow',
  description: 'The workflow that runs after each run that ended in Error.',
  query: Type.Object({ scope: Type.Optional(Scope) }),
  answers: { 200: Type.Object({ scope: Scope, workflowId: Chosen }) },
})

export const setErrorWorkflow = operation({
  name: 'ErrorWorkflowUpdate',
  feature: 'Runs',
  method: 'POST',
  path: '/api/ErrorWorkflow',
  description:
    'Choose the workflow that runs after each run that ended in Error, with the data of the event run.failed as run.input. It never runs for its own failures.',
  changesState: true,
  audit: 'errorWorkflow.changed',
  body: Type.Object({ scope: Type.Optional(Scope), workflowId: Chosen }, { additionalProperties: false }),
  answers: { 200: null },
  refuses: ['not_found', 'workflow_not_deployed'],
  example: { body: { scope: 'account', workflowId: '0198c0de-0000-7000-8000-000000000001' } },
})
