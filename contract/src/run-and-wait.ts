import { Type } from 'typebox'
import { operation } from './operation.ts'
import { answerHeaders, RunInput, RunStatus, WorkflowId } from './runs.ts'

export const runAndWait = operation({
  name: 'RunAndWait',
  feature: 'Runs',
  method: 'POST',
  path: '/api/RunAndWait/:workflowId',
  description:
    'Start a run of a deployed workflow and wait for its result. If it takes longer than waitSeconds, the response is 202 and the run goes on. A client that disconnects stops nothing.',
  changesState: true,
  // The history of runs says who started each.
  audit: null,
  params: WorkflowId,
  body: Type.Object(
    {
      input: Type.Optional(RunInput),
      waitSeconds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 60, default: 25, description: 'How long to wait for the end of the run.' }),
      ),
    },
    { additionalProperties: false },
  ),
  answerHeaders,
  acceptedWhen: 'The run has not ended yet: status is Processing or Waiting, and result and errorMessage are null.',
  answers: {
    200: Type.Object({
      runNumber: Type.Integer({ description: 'Number of the run.' }),
      status: RunStatus,
      result: Type.Unknown({
        description: 'The result of the output block; null when the run did not succeed or the block was skipped.',
      }),
      errorMessage: Type.Union([Type.String(), Type.Null()], {
        description: 'What went wrong; null unless the status is Error.',
      }),
    }),
  },
  refuses: ['not_found', 'workflow_not_deployed', 'storage_full'],
  example: {
    body: { input: { orderId: 1007 }, waitSeconds: 10 },
    answer: { runNumber: 1, status: 'Ready', result: { invoiceId: 'A-1007' }, errorMessage: null },
  },
})
