// Parts of inputs that several tools share.
import { Type } from 'typebox'

export const WorkflowId = Type.String({
  minLength: 1,
  description: 'Id of the workflow, or its name if only one has it.',
})

export const RunNumber = Type.Integer({ minimum: 1, description: 'Number of the run, counted per workflow.' })

export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'At most this many.' }),
)

export const Confirm = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Without confirm: true nothing is done; the answer says what would be done.',
  }),
)

export const Changes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description:
    'Fields of the workflow to change, as POST /api/Workflow/{id} takes them: name, description, variables, applications, timeoutSeconds, chain.',
})

export const BlockScripts = Type.Array(
  Type.Object(
    {
      block: Type.String({ minLength: 1, description: 'Name or uniqueBlockId of the block.' }),
      script: Type.String({ description: 'The whole new script.' }),
    },
    { additionalProperties: false },
  ),
  { minItems: 1, description: 'New scripts, block by block. Blocks that are not named stay as they are.' },
)
