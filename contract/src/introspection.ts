import { Type } from 'typebox'
import { operation } from './operation.ts'

const Schema = Type.Unknown({ description: 'A JSON Schema.' })

export const EndpointMetaData = Type.Object({
  name: Type.String(),
  route: Type.String(),
  verb: Type.String(),
  description: Type.String(),
  authenticate: Type.Optional(Type.Boolean()),
  parameters: Type.Optional(Type.String({ description: 'param={type}&param={type}' })),
  parametersSchema: Type.Optional(Schema),
  requestBodySchema: Type.Optional(Schema),
  requestBodyExample: Type.Optional(Type.Unknown()),
  responseSchema: Type.Optional(Schema),
  responseExample: Type.Optional(Type.Unknown()),
  responseCodes: Type.Record(Type.String(), Type.String()),
})

const RecordName = Type.Object({ name: Type.String({ minLength: 1, description: 'For example ClientListApiDto.' }) })

export const getMetaData = operation({
  name: 'GetMetaData',
  feature: 'Introspection',
  method: 'GET',
  path: '/api/GetMetaData',
  description: 'Every endpoint with its parameters, schemas, examples and status codes.',
  headers: {
    'If-None-Match': Type.String({ description: 'The ETag you have. If it still matches, the response is 304.' }),
  },
  answerHeaders: { ETag: Type.String({ description: 'For If-None-Match.' }) },
  answers: { 200: Type.Array(EndpointMetaData) },
})

export const describe = operation({
  name: 'Describe',
  feature: 'Introspection',
  method: 'GET',
  path: '/api/Describe',
  description: 'The fields of a record type.',
  query: RecordName,
  answers: {
    200: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), description: Type.String() })),
  },
  refuses: ['not_found'],
})

export const getSchema = operation({
  name: 'GetSchema',
  feature: 'Introspection',
  method: 'GET',
  path: '/api/GetSchema',
  description: 'The JSON Schema of a record type.',
  query: RecordName,
  answers: { 200: Type.Unknown({ description: 'A JSON Schema object.' }) },
  refuses: ['not_found'],
})
