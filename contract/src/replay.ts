import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'
import { addressLengthMax } from './proxy.ts'
import { Revision } from './revisions.ts'
import { WorkflowInput } from './workflows.ts'

export const replayRunsMax = 200
export const replayOutcomes = ['same', 'different', 'failed', 'notReplayable'] as const
export type ReplayOutcome = (typeof replayOutcomes)[number]

const RunNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

const ReplayedCall = Type.Object({
  change: Type.Enum(['added', 'removed', 'changed']),
  method: Type.String({ description: 'MAIL for an e-mail.' }),
  url: Type.String({ description: 'Absolute, as GetBlockCalls shows it.' }),
  from: Type.Optional(Type.Unknown({ description: 'The recorded body. Absent when change is added.' })),
  to: Type.Optional(Type.Unknown({ description: 'The body in the replay. Absent when change is removed.' })),
})

const ReplayedItems = Type.Object({
  same: Type.Integer(),
  different: Type.Integer(),
  failed: Type.Integer({ description: 'With an error that the item did not have.' }),
  added: Type.Integer({ description: 'Only in the replay.' }),
  removed: Type.Integer({ description: 'Only in the recorded run.' }),
  first: Type.Array(
    Type.Object({
      key: Type.String(),
      outcome: Type.Enum(['same', 'different', 'failed', 'added', 'removed']),
      result: Type.Array(Type.Unknown(), { description: 'JSON Patch, as of a block.' }),
    }),
    { description: 'The first 50 that are not the same.' },
  ),
})

const ReplayedBlock = Type.Object({
  uniqueBlockId: Guid,
  blockName: Type.String(),
  outcome: Type.Enum(['same', 'different', 'failed']),
  result: Type.Array(Type.Unknown(), {
    description: 'JSON Patch (RFC 6902) from the recorded result to the replayed one.',
  }),
  calls: Type.Array(ReplayedCall, { description: 'Calls that were not made as recorded.' }),
  log: Type.Union([Type.Object({ from: Type.Array(Type.String()), to: Type.Array(Type.String()) }), Type.Null()], {
    description: 'The log then and now; null when both are the same. A difference here alone counts as same.',
  }),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why the block failed in the replay.' }),
  items: Type.Union([ReplayedItems, Type.Null()], {
    description: 'Items by their keys; null for a block without items.',
  }),
})

const ReplayedRun = Type.Object({
  runNumber: Type.Integer(),
  outcome: Type.Enum([...replayOutcomes], {
    description:
      'same; different (results or calls); failed (with an error that the recorded run did not have); notReplayable.',
  }),
  message: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed or cannot be replayed.' }),
  blocks: Type.Array(ReplayedBlock),
})

const Replay = Type.Object({
  state: Type.Enum(['Running', 'Completed', 'Failed']),
  runs: Type.Array(ReplayedRun, { description: 'The runs replayed so far.' }),
  counts: Type.Object({
    same: Type.Integer(),
    different: Type.Integer(),
    failed: Type.Integer(),
    notReplayable: Type.Integer(),
  }),
})

const Answer = Type.Object(
  {
    method: Type.String({ minLength: 1, maxLength: 20 }),
    url: Type.String({ minLength: 1, maxLength: addressLengthMax }),
    statusCode: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, default: 200 })),
    data: Type.Optional(Type.Unknown({ description: 'The body; any JSON.' })),
  },
  { additionalProperties: false },
)

export const startReplay = operation({
  name: 'ReplayStart',
  feature: 'Runs',
  method: 'POST',
  path: '/api/Replay/:id',
  description:
    'Run recorded runs again, against the newest revision, an earlier one, or changes that are not saved. No call leaves the service, nothing is written, no e-mail is sent.',
  changesState: true,
  audit: 'workflow.replayed',
  params: Type.Object({ id: { ...Guid, description: 'Id of the workflow.' } }),
  body: Type.Object(
    {
      runNumbers: Type.Optional(
        Type.Array(RunNumber, { minItems: 1, maxItems: replayRunsMax, description: 'These runs. Not with lastRuns.' }),
      ),
      lastRuns: Type.Optional(
        Type.Integer({ minimum: 1, maximum: replayRunsMax, default: 10, description: 'The newest recorded runs.' }),
      ),
      revision: Type.Optional({ ...Revision, description: 'Against this revision. Not with changes.' }),
      changes: Type.Optional(WorkflowInput),
      answers: Type.Optional(
        Type.Array(Answer, { maxItems: 1000, description: 'Responses to calls that the recorded runs did not make.' }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ replayId: Guid }) },
  refuses: ['not_found', 'workflow_invalid', 'cannot_be_stored'],
  example: { body: { lastRuns: 10, changes: { variables: { who: 'everyone' } } } },
})

export const getReplay = operation({
  name: 'Replay',
  feature: 'Runs',
  method: 'GET',
  path: '/api/Replay/:id',
  description: 'Progress and findings of a replay. Kept for a day.',
  params: Type.Object({ id: { ...Guid, description: 'Id of the replay.' } }),
  answers: { 200: Replay },
  refuses: ['not_found'],
})
