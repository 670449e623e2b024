import { type OperationSpec, operations, records } from '@patchbay/contract'
import type { TSchema } from 'typebox'
import { AppError } from '../../lib/app-error.ts'
import { FixedAnswer } from '../answer/fixed-answer.ts'
import type { HandlersOf } from '../handler.ts'
import { answerCodes } from '../openapi/answers.ts'
import { type SchemaShape, typeName } from '../schema/schema-shape.ts'

export function introspectionRoutes(): HandlersOf<'GetMetaData' | 'Describe' | 'GetSchema'> {
  const metaData = new FixedAnswer(
    JSON.stringify(Object.values(operations).map(describeEndpoint)),
    'application/json; charset=utf-8',
  )
  return {
    GetMetaData: () => metaData,
    Describe: ({ query }) => describeFields(findRecord(query.name)),
    GetSchema: ({ query }) => findRecord(query.name),
  }
}

function findRecord(name: string): TSchema {
  const record = (records as Record<string, TSchema>)[name]
  if (!record || !Object.hasOwn(records, name)) {
    throw new AppError('not_found', `No such record type: ${name}.`)
  }
  return record
}

function describeFields(record: TSchema) {
  return Object.entries((record as SchemaShape).properties ?? {}).map(([name, schema]) => ({
    name,
    type: typeName(schema),
    description: schema.description ?? '',
  }))
}

function describeEndpoint(spec: OperationSpec) {
  const parameters = { ...spec.params?.properties, ...spec.query?.properties } as Record<string, SchemaShape>
  const names = Object.keys(parameters)
  return {
    name: spec.name,
    route: spec.path.replaceAll(/:(\w+)/g, '{$1}'),
    verb: spec.method,
    description: spec.description,
    authenticate: spec.access !== 'public',
    ...(names.length > 0
      ? {
          parameters: names.map((name) => `${name}={${typeName(parameters[name] as SchemaShape)}}`).join('&'),
          parametersSchema: { type: 'object', properties: parameters },
        }
      : {}),
    ...(spec.body ? { requestBodySchema: spec.body } : {}),
    ...(spec.example?.body === undefined ? {} : { requestBodyExample: spec.example.body }),
    ...(spec.answers[200] ? { responseSchema: spec.answers[200] } : {}),
    ...(spec.example?.answer === undefined ? {} : { responseExample: spec.example.answer }),
    responseCodes: answerCodes(spec),
  }
}
