import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

export const getFunctions = operation({
  name: 'GetFunctions',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/GetFunctions',
  description: 'The functions that scripts call as fx.<name>: those of the service and those of the organization.',
  answers: {
    200: Type.Array(
      Type.Object({
        id: Guid,
        name: Type.String(),
        description: Type.String(),
        category: Type.String(),
        package: Type.String(),
        isAsync: Type.Boolean(),
        arguments: Type.Record(
          Type.String(),
          Type.Object({
            type: Type.String(),
            description: Type.Optional(Type.String()),
            optional: Type.Optional(Type.Boolean()),
          }),
        ),
        script: Type.String({ description: 'The body of the function.' }),
      }),
    ),
  },
})
