import { Type } from 'typebox'
import { listSizeMax } from './client-values.ts'
import { AccountName, Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { replayRunsMax } from './replay.ts'
import { BlockChange, Revision } from './revisions.ts'
import { mapOf } from './workflow-records.ts'

export const upgradeStates = ['Running', 'Paused', 'Stopped', 'Completed', 'RolledBack'] as const
export type UpgradeState = (typeof upgradeStates)[number]
export const upgradeOutcomes = [
  'pending',
  'upgraded',
  'upToDate',
  'conflict',
  'problem',
  'skipped',
  'rolledBack',
] as const
export type UpgradeOutcome = (typeof upgradeOutcomes)[number]
export const previewOutcomes = ['upToDate', 'clean', 'conflict', 'problem'] as const
export type PreviewOutcome = (typeof previewOutcomes)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const countsOf = <Name extends string>(names: readonly Name[]) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<Name, ReturnType<typeof Type.Integer>>,
  )

const Version = Type.String({ minLength: 1, maxLength: 100, description: 'A published version of the template.' })
const chosen = {
  workflowTemplateId: { ...Guid, description: 'The template whose workflows are to be upgraded.' },
  toVersion: Type.Optional({ ...Version, description: 'The version to go to; the newest by default.' }),
}
const WorkflowIds = (description: string) => Type.Optional(Type.Array(Guid, { maxItems: 10_000, description }))

const Conflict = Type.Object({
  uniqueBlockId: Guid,
  blockName: Type.String(),
  field: Type.String({
    description: 'The field that both sides changed; block when one side removed the block and the other changed it.',
  }),
  base: Type.Unknown({ description: 'In the version that the workflow was made from. Secrets are masked.' }),
  ours: Type.Unknown({ description: 'In the workflow now; null when the customer removed it. Secrets are masked.' }),
  theirs: Type.Unknown({
    description: 'In the version to go to; null when the template removed it. Secrets are masked.',
  }),
})

const Need = Type.Object({
  kind: Type.Enum(['variable', 'application', 'blockVariable'], {
    description: 'Which part of values: variables, applications or blocks.',
  }),
  name: Type.String({ description: 'Name of the variable, or short name of the application.' }),
  uniqueBlockId: Type.Optional({ ...Guid, description: 'Only for a variable of a block.' }),
  message: Type.String({ description: 'The problem that it solves.' }),
  type: Type.Optional(Type.String({ description: 'Type of the variable.' })),
  displayName: Type.Optional(Type.String()),
  options: Type.Optional(Type.Array(Type.String())),
})

export const previewTemplateUpgrade = operation({
  name: 'TemplateUpgradePreview',
  feature: 'Template upgrades',
  method: 'POST',
  path: '/api/TemplateUpgradePreview',
  description:
    'What another version of a template would do to each workflow made from it, across all accounts you may act for. Changes nothing.',
  lowestRole: 'DevPartner',
  body: Type.Object(
    {
      ...chosen,
      workflowIds: WorkflowIds('Only these workflows.'),
      outcome: Type.Optional(
        Type.Enum([...previewOutcomes], {
          description: 'List only workflows with this outcome. The counts cover all.',
        }),
      ),
      replayRuns: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: replayRunsMax,
          default: 0,
          description:
            'Replay this many recorded runs of each clean workflow. One with a run that was Ready and would now fail is a conflict. At most 200 workflows. 0: no replay.',
        }),
      ),
      page: Type.Optional(Page),
      size: Type.Optional(Size),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          workflowId: Guid,
          accountId: Guid,
          accountName: AccountName,
          accountEmail: Type.String(),
          name: Type.String(),
          revision: { ...Revision, description: 'The revision that was looked at.' },
          fromVersion: orNull(Type.String(), 'The version it follows now; null when it was made from a draft.'),
          toVersion: Type.String(),
          outcome: Type.Enum([...previewOutcomes], { description: 'upToDate, clean, conflict or problem.' }),
          message: orNull(
            Type.String(),
            'With replayRuns: which recorded run would fail, and why; null if none would.',
          ),
          changes: Type.Array(BlockChange, { description: 'What the upgrade would change.' }),
          conflicts: Type.Array(Conflict),
          problems: Type.Array(Type.String(), { description: 'Why the workflow could not run afterwards.' }),
          needs: Type.Array(Need, { description: 'What would solve problems when it is given in values.' }),
          notes: Type.Array(Type.String(), {
            description: 'Customer values that are kept although the template changed them too.',
          }),
        }),
      ),
      total: Type.Integer(),
      counts: countsOf(previewOutcomes),
    }),
  },
  refuses: ['not_found', 'role_too_low', 'upgrade_invalid'],
  example: { body: { workflowTemplateId: '019a2f6e-5a3c-7f00-8000-000000000001', page: 0, size: 50 } },
})

const Resolution = Type.Object(
  {
    workflowId: Guid,
    revision: { ...Revision, description: 'The revision that the preview showed.' },
    uniqueBlockId: Guid,
    field: Type.String({ minLength: 1, maxLength: 300 }),
    take: Type.Enum(['template', 'customer', 'value']),
    value: Type.Optional(
      Type.Unknown({
        description: 'The value to use, with take: "value". Only for script, blockName and dataSources.',
      }),
    ),
  },
  { additionalProperties: false },
)
const Values = Type.Object(
  {
    workflowId: Guid,
    variables: Type.Optional(mapOf<unknown>({}, 'Variable name to its value.')),
    applications: Type.Optional(mapOf<string>(Guid, 'Application short name to the id of a registered application.')),
    blocks: Type.Optional(
      mapOf<Record<string, unknown>>(mapOf<unknown>({}, 'Variable name to its value.'), 'Block id to its variables.'),
    ),
  },
  { additionalProperties: false },
)

export const startTemplateUpgrade = operation({
  name: 'TemplateUpgrade',
  feature: 'Template upgrades',
  method: 'POST',
  path: '/api/TemplateUpgrade',
  description:
    'Upgrade workflows to another version of their template, wave by wave. A workflow whose next runs all fail is rolled back automatically.',
  changesState: true,
  audit: 'upgrade.started',
  lowestRole: 'DevPartner',
  bodyBytesMax: 32 * 1024 * 1024,
  body: Type.Object(
    {
      ...chosen,
      workflowIds: WorkflowIds('The workflows to upgrade; all that can be merged cleanly by default.'),
      resolutions: Type.Optional(
        Type.Array(Resolution, { maxItems: 100_000, description: 'Decisions about conflicts of the preview.' }),
      ),
      values: Type.Optional(
        Type.Array(Values, {
          maxItems: 10_000,
          description: 'For variables and applications that are newly required.',
        }),
      ),
      waveSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, default: 10, description: 'Workflows per wave.' }),
      ),
      waveMinutes: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 10_080,
          default: 10,
          description: 'Pause between waves; fractions are allowed.',
        }),
      ),
      watchRuns: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1000,
          default: 3,
          description: 'Roll a workflow back when this many runs in a row fail after its upgrade. 0: do not watch it.',
        }),
      ),
      failuresMax: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10_000,
          default: 1,
          description: 'Stop the upgrade when more workflows than this were rolled back.',
        }),
      ),
      replayRuns: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: replayRunsMax,
          default: 0,
          description:
            'Replay this many recorded runs of each workflow before changing it. A workflow with a run that was Ready and would now fail is not changed and counts as a conflict. 0: no replay.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ upgradeId: Guid }) },
  refuses: ['not_found', 'role_too_low', 'upgrade_invalid', 'upgrade_running', 'cannot_be_stored'],
  example: { body: { workflowTemplateId: '019a2f6e-5a3c-7f00-8000-000000000001', waveSize: 5, waveMinutes: 30 } },
})

const UpgradeId = Type.Object({ id: Guid })
const summary = {
  id: Guid,
  workflowTemplateId: Guid,
  toVersion: Type.String(),
  state: Type.Enum([...upgradeStates], { description: 'Running, Paused, Stopped, Completed or RolledBack.' }),
  createDateTimeUTC: Timestamp,
  counts: { ...countsOf(upgradeOutcomes), description: 'Workflows by outcome.' },
}

export const getTemplateUpgrade = operation({
  name: 'GetTemplateUpgrade',
  feature: 'Template upgrades',
  method: 'GET',
  path: '/api/TemplateUpgrade/:id',
  description: 'Progress of an upgrade. Readable by whoever started it, and by SuperPartner and Manager.',
  lowestRole: 'DevPartner',
  params: UpgradeId,
  answers: {
    200: Type.Object({
      ...summary,
      items: Type.Array(
        Type.Object({
          workflowId: Guid,
          accountId: Guid,
          accountName: orNull(AccountName, 'Null when the account no longer exists.'),
          accountEmail: orNull(Type.String(), 'Null when the account no longer exists.'),
          name: orNull(Type.String(), 'Name of the workflow; null when it no longer exists.'),
          outcome: Type.Enum([...upgradeOutcomes], {
            description: 'pending, upgraded, upToDate, conflict, problem, skipped or rolledBack.',
          }),
          wave: Type.Integer({ description: 'Starting with 1.' }),
          revisionBefore: orNull(Revision, 'The revision that was upgraded.'),
          revisionAfter: orNull(Revision, 'The revision with the upgrade; null until it is changed.'),
          message: orNull(Type.String(), 'Details, for example why it was skipped.'),
        }),
      ),
    }),
  },
  refuses: ['not_found', 'role_too_low'],
})

export const actOnTemplateUpgrade = operation({
  name: 'TemplateUpgradeAction',
  feature: 'Template upgrades',
  method: 'POST',
  path: '/api/TemplateUpgradeAction/:id',
  description: 'Pause or resume an upgrade, or roll back every upgraded workflow.',
  changesState: true,
  audit: ['upgrade.paused', 'upgrade.resumed', 'upgrade.rolledBack'],
  lowestRole: 'DevPartner',
  params: UpgradeId,
  body: Type.Object({ action: Type.Enum(['pause', 'resume', 'rollBack']) }, { additionalProperties: false }),
  answers: { 200: null },
  refuses: ['not_found', 'role_too_low', 'upgrade_over', 'upgrade_running'],
  example: { body: { action: 'pause' } },
})

export const listTemplateUpgrades = operation({
  name: 'TemplateUpgrades',
  feature: 'Template upgrades',
  method: 'POST',
  path: '/api/TemplateUpgrades',
  description: 'Upgrades, newest first: those you started; for SuperPartner and Manager all of the organization.',
  lowestRole: 'DevPartner',
  body: Type.Object({ page: Type.Optional(Page), size: Type.Optional(Size) }, { additionalProperties: false }),
  answers: {
    200: Type.Object({ items: Type.Array(Type.Object(summary), { maxItems: listSizeMax }), total: Type.Integer() }),
  },
  refuses: ['role_too_low'],
  example: { body: { page: 0, size: 20 } },
})
