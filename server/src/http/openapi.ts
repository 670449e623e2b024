import { ErrorBody, errorCatalogue, type OperationSpec } from '@patchbay/contract'
import type { TSchema } from 'typebox'

/** Refusals that every operation may give. */
const general = { keys: [400, 401, 429, 500, 503], public: [400, 429, 500, 503] } as const

/** All statuses an operation may answer with, each with words. */
export function answerCodes(spec: OperationSpec): Record<string, string> {
  const refusals = new Set<number>(general[spec.access ?? 'keys'])
  for (const code of spec.refuses ?? []) refusals.add(errorCatalogue[code])
  if (spec.params) refusals.add(spec.malformedPathIs ?? 404)
  if (spec.access !== 'public') refusals.add(403)
  if (spec.body && spec.bodyType !== 'multipart' && spec.refusalField === undefined) refusals.add(413)
  const codes: Record<string, string> = { 200: 'Success.' }
  if (spec.answers[204] === null) codes[204] = 'There is nothing to show.'
  for (const status of [...refusals].sort()) codes[status] = refusalWords[status] ?? 'Refused.'
  return codes
}

const refusalWords: Record<number, string> = {
  400: 'The request is not valid; errorMessage names the field.',
  401: 'Keys are missing or not valid, or may not be used from this address.',
  403: 'The role of the caller is too low, or the managed account is out of reach.',
  404: 'Not found, or no access.',
  405: 'The method is not allowed.',
  409: 'Somebody else changed it first; nothing was saved.',
  413: 'The body is too large.',
  429: 'Too many requests; see Retry-After.',
  500: 'Our fault; errorMessage carries the request id.',
  503: 'Not ready; see Retry-After.',
}

export function openApiDocument(
  operations: Record<string, OperationSpec>,
  records: Record<string, TSchema>,
  baseUrl: string,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const spec of Object.values(operations)) {
    const path = spec.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][spec.method.toLowerCase()] = describeOperation(spec)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Patchbay', version: '1', description: 'The REST interface of this Patchbay installation.' },
    servers: [{ url: baseUrl }],
    security: [{ consumer: [], secretKey: [] }],
    paths,
    components: {
      schemas: { Error: withoutId(ErrorBody), ...records },
      securitySchemes: {
        consumer: { type: 'apiKey', in: 'header', name: 'Consumer' },
        secretKey: { type: 'apiKey', in: 'header', name: 'SecretKey' },
      },
    },
  }
}

function describeOperation(spec: OperationSpec) {
  return {
    operationId: spec.name,
    summary: spec.description,
    ...(spec.access === 'public' ? { security: [] } : {}),
    parameters: [
      ...parameters(spec.params, 'path'),
      ...parameters(spec.query, 'query'),
      ...(spec.access === 'public'
        ? []
        : [{ name: 'ManagedAccountId', in: 'header', required: false, schema: { type: 'string', format: 'uuid' } }]),
      ...Object.entries(spec.headers ?? {}).map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(spec.body
      ? {
          requestBody: {
            required: true,
            content: {
              [spec.bodyType === 'multipart' ? 'multipart/form-data' : 'application/json']: {
                schema: spec.body,
                ...(spec.example?.body ? { example: spec.example.body } : {}),
              },
            },
          },
        }
      : {}),
    responses: responses(spec),
  }
}

function parameters(schema: OperationSpec['params'], where: 'path' | 'query') {
  const required = (schema as { required?: string[] } | undefined)?.required ?? []
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }))
}

function responses(spec: OperationSpec) {
  return Object.fromEntries(
    Object.entries(answerCodes(spec)).map(([status, description]) => {
      const schema = status === '200' ? spec.answers[200] : status === '204' ? null : refusalSchema(spec, status)
      const headers = status === '200' ? describeHeaders(spec) : {}
      const content = {
        ...(schema ? { 'application/json': { schema } } : {}),
        ...(status === '200' && spec.otherContent ? { [spec.otherContent]: { schema: { type: 'string' } } } : {}),
      }
      return [status, { description, ...headers, ...(Object.keys(content).length > 0 ? { content } : {}) }]
    }),
  )
}

function describeHeaders(spec: OperationSpec): { headers?: object } {
  if (!spec.answerHeaders) return {}
  const headers = Object.entries(spec.answerHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return { headers: Object.fromEntries(headers) }
}

function refusalSchema(spec: OperationSpec, status: string): object {
  if (spec.refusalField === undefined || status !== '400') return { $ref: '#/components/schemas/Error' }
  return {
    type: 'object',
    required: [spec.refusalField],
    properties: { [spec.refusalField]: { type: 'string', description: 'A sentence that says what is wrong.' } },
  }
}

function withoutId(schema: TSchema): object {
  const { $id: _, ...rest } = schema as TSchema & { $id?: string }
  return rest
}
