import { Type } from 'typebox'
import { flowAnswerFields } from './chain-flow.ts'
import { Guid } from './ids.ts'
import { Tags } from './paging.ts'

const State = Type.Enum(['Published', 'Draft'], { description: 'Published or Draft.' })
const Version = Type.Union([Type.String(), Type.Null()], { description: 'Version; null for a draft.' })
const IsHosted = Type.Boolean({ description: "Whether it is the organization's own." })

const summaryVariable = {
  shortName: Type.String(),
  displayName: Type.String(),
  type: Type.String({ description: 'text, password, number, boolean, date, select, multiselect or json.' }),
  required: Type.Boolean(),
}
export const Variable = Type.Object({
  ...summaryVariable,
  description: Type.Optional(Type.String()),
  default: Type.Optional(Type.Unknown()),
  options: Type.Optional(Type.Array(Type.Object({ value: Type.String(), displayName: Type.String() }))),
})

const workflowTemplateFields = {
  id: { ...Guid, description: 'Id of the template.' },
  name: Type.String({ description: 'Name for people.' }),
  description: Type.String({ description: 'What workflows made from it do.' }),
  version: Version,
  state: State,
  applications: Type.Array(Type.String(), { description: 'Short names of the applications it needs.' }),
  tags: Tags,
}

export const WorkflowTemplateListApiDto = Type.Object(
  {
    ...workflowTemplateFields,
    variables: Type.Array(Type.Object(summaryVariable), { description: 'Variables that a workflow made from it has.' }),
  },
  { description: 'Workflow template summary.' },
)

export const TemplateBlock = Type.Object({
  no: Type.Integer({ description: 'Position in the chain, from 1.' }),
  uniqueBlockId: Guid,
  blockName: Type.String(),
  blockTemplateId: Type.Union([Guid, Type.Null()]),
  blockTemplateVersion: Type.Union([Type.String(), Type.Null()], {
    description:
      'The version of its block template. A published template keeps the versions it was published with; a draft follows the newest. Null for a block with a script of its own, or one whose block template is a draft.',
  }),
  applicationShortName: Type.Union([Type.String(), Type.Null()]),
  script: Type.String({ description: "The block's own script, or that of its block template." }),
  dataSources: Type.Array(Guid),
  variables: Type.Record(
    Type.String(),
    Type.Object({
      variableSource: Type.String({ description: 'Value or Workflow.' }),
      value: Type.Optional(Type.Unknown()),
      variableName: Type.Optional(Type.String()),
    }),
  ),
  ...flowAnswerFields,
})

export const WorkflowTemplateWithDetailsApiDto = Type.Object(
  {
    ...workflowTemplateFields,
    variables: Type.Array(Variable, { description: 'Variables that a workflow made from it has.' }),
    chain: Type.Array(TemplateBlock, { description: 'The blocks in order.' }),
    configuration: Type.Object({ isHosted: IsHosted }, { description: 'Where the template comes from.' }),
  },
  { description: 'Workflow template with its block chain.' },
)

const blockTemplateFields = {
  id: { ...Guid, description: 'Id of the block template.' },
  name: Type.String({ description: 'Name for people.' }),
  description: Type.String({ description: 'What the block does.' }),
  version: Version,
  state: State,
  applicationShortName: Type.Union([Type.String(), Type.Null()], {
    description: 'The application it calls; null when it calls none.',
  }),
  tags: Tags,
}

export const BlockTemplateListApiDto = Type.Object(blockTemplateFields, { description: 'Block template summary.' })

export const BlockTemplateApiDto = Type.Object(
  {
    ...blockTemplateFields,
    script: Type.String({ description: 'The script that blocks made from it run.' }),
    variables: Type.Array(Variable, { description: 'Variables of the block.' }),
    configuration: Type.Object(
      { isHosted: IsHosted, exampleResult: Type.Optional(Type.Unknown()) },
      { description: 'Where the template comes from, and an example of what it returns.' },
    ),
  },
  { description: 'Block template with its script.' },
)
