import type { OperationSpec } from '@patchbay/contract'
import type { TSchema } from 'typebox'
import type { SchemaShape } from '../schema/schema-shape.ts'
import { answerCodes, answerHeadersOf, rateLimitHeaders, refusalOf, refusalStatuses } from './answers.ts'
import type { ComponentSchemas } from './component-schemas.ts'
import { exampleOf } from './example.ts'

export function describeOperation(spec: OperationSpec, components: ComponentSchemas): object {
  return {
    operationId: spec.name,
    tags: [spec.feature],
    summary: firstSentence(spec.description),
    description: [spec.description, ...needs(spec)].join(' '),
    ...securityOf(spec),
    parameters: [
      ...parameters(spec.params, 'path', components),
      ...parameters(spec.query, 'query', components),
      ...(spec.access === 'public' ? [] : [{ $ref: '#/components/parameters/ManagedAccountId' }]),
      ...Object.entries(spec.headers ?? {}).map(([name, schema]) =>
        parameter(name, 'header', false, components.refer(schema, 'request')),
      ),
    ],
    ...(spec.body ? { requestBody: requestBody(spec, spec.body, components) } : {}),
    responses: responses(spec, components),
  }
}

function firstSentence(text: string): string {
  return (/^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text).replace(/\.$/, '')
}

function needs(spec: OperationSpec): string[] {
  const role = spec.lowestRole ? [`Needs the role ${spec.lowestRole} or higher.`] : []
  const bytes = spec.bodyBytesMax ? [`The body may have up to ${spec.bodyBytesMax / 1024} KiB.`] : []
  return [...role, ...bytes]
}

/** Public operations need nothing, except the two that are about the session itself. */
function securityOf(spec: OperationSpec): { security?: object[] } {
  if (spec.access !== 'public') return {}
  if (!spec.refuses?.includes('session_invalid')) return { security: [] }
  return { security: [spec.changesState ? { session: [], csrfToken: [] } : { session: [] }] }
}

function parameters(schema: OperationSpec['params'], where: 'path' | 'query', components: ComponentSchemas): object[] {
  const required = (schema as { required?: string[] } | undefined)?.required ?? []
  return Object.entries(schema?.properties ?? {}).map(([name, property]) =>
    parameter(
      name,
      where,
      where === 'path' || required.includes(name),
      components.refer(property as TSchema, 'request'),
    ),
  )
}

function parameter(name: string, where: string, required: boolean, { description, ...schema }: SchemaShape): object {
  return { name, in: where, required, ...(description ? { description } : {}), schema }
}

function requestBody(spec: OperationSpec, body: TSchema, components: ComponentSchemas): object {
  const type = spec.bodyType === 'multipart' ? 'multipart/form-data' : 'application/json'
  const example = spec.example?.body ?? exampleOf(body as SchemaShape)
  return {
    required: true,
    content: { [type]: { schema: components.refer(body, 'request', `${spec.name}Request`), example } },
  }
}

function responses(spec: OperationSpec, components: ComponentSchemas): object {
  const codes = answerCodes(spec)
  return {
    200: success(spec, components),
    ...(spec.acceptedWhen ? { 202: { ...success(spec, components), description: spec.acceptedWhen } } : {}),
    ...(spec.answers[204] === null ? { 204: { description: codes[204], headers: headersOf(spec) } } : {}),
    ...Object.fromEntries(refusalStatuses(spec).map((status) => [status, refusalOf(spec, status)])),
  }
}

function success(spec: OperationSpec, components: ComponentSchemas): object {
  const answer = spec.answers[200]
  const own = Object.entries(spec.answerHeaders ?? {}).map(([name, schema]) => {
    const { description, ...shape } = components.refer(schema, 'answer')
    return [name, { description, schema: shape }]
  })
  const content = {
    ...(answer
      ? {
          'application/json': {
            schema: components.refer(answer, 'answer', `${spec.name}Answer`),
            example: spec.example?.answer ?? exampleOf(answer as SchemaShape),
          },
        }
      : {}),
    ...(spec.otherContent ? { [spec.otherContent]: { schema: { type: 'string' } } } : {}),
  }
  return {
    description: successWords(spec),
    headers: { ...headersOf(spec), ...Object.fromEntries(own) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

function successWords(spec: OperationSpec): string {
  const described = (spec.answers[200] as SchemaShape | null)?.description
  if (described) return described
  return spec.answers[200] || spec.otherContent ? 'Success.' : 'Success. The body is empty.'
}

function headersOf(spec: OperationSpec): object {
  return { ...answerHeadersOf(200), ...(spec.access === 'public' ? {} : rateLimitHeaders) }
}
