import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

export const proxyVerbs: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
/** Of the address within an application, for calls of clients and of scripts alike. */
export const addressLengthMax = 20_000

const headers = {
  AppKey: {
    ...Guid,
    description: 'Id of the registered application. Needed when several have the same short name.',
  },
}

const Chosen = Type.Object({
  shortName: Type.Optional(
    Type.String({ maxLength: 40, description: 'Short name of the application; the header AppKey chooses by id.' }),
  ),
})

const Address = Type.Object({
  url: Type.String({ minLength: 1, maxLength: addressLengthMax, description: '<short name>/<endpoint>' }),
  srv: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Another base address on a host that the application allows.' }),
  ),
})

const Target = Type.Unknown({ description: "The target's response." })

const refuses = [
  'not_found',
  'application_ambiguous',
  'application_not_authenticated',
  'connection_faulted',
  'host_not_allowed',
  'target_refused',
  'target_unreachable',
] as const

export const apiAuth = operation({
  name: 'ApiAuth',
  feature: 'Proxy',
  method: 'GET',
  path: '/api/ApiAuth',
  description: 'The access token or session that the service would use for a registered application.',
  query: Chosen,
  headers,
  answers: { 200: Type.String({ description: 'The token.' }) },
  refuses: [
    'not_found',
    'application_ambiguous',
    'application_not_authenticated',
    'connection_faulted',
    'target_unreachable',
  ],
  example: { answer: 'eyJhbGciOi…' },
})

export const apiAppVault = operation({
  name: 'ApiAppVault',
  feature: 'Proxy',
  method: 'GET',
  path: '/api/ApiAppVault',
  description: 'The stored values of a registered application; secrets are masked.',
  query: Chosen,
  headers,
  answers: {
    200: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  },
  refuses: ['not_found', 'application_ambiguous', 'application_not_authenticated'],
})

export const apiGet = operation({
  name: 'ApiGet',
  feature: 'Proxy',
  method: 'GET',
  path: '/api/ApiGet',
  description:
    'Send a GET request to a registered application. Returns the body of its response: JSON, or text/plain where the target sent text.',
  query: Address,
  headers,
  answers: { 200: Target },
  otherContent: 'text/plain',
  refuses,
})

export const apiPost = operation({
  name: 'ApiPost',
  feature: 'Proxy',
  method: 'POST',
  path: '/api/ApiPost',
  description:
    'Send JSON to a registered application with POST. Returns the body of its response: JSON, or text/plain where the target sent text.',
  changesState: true,
  // It changes something at the target, not here.
  audit: null,
  query: Address,
  headers,
  body: Type.Object(
    { jsonData: Type.Unknown({ description: 'What is sent to the target.' }) },
    { additionalProperties: false },
  ),
  handedOn: 'jsonData',
  bodyBytesMax: 48 * 1024 * 1024,
  answers: { 200: Target },
  otherContent: 'text/plain',
  refuses,
  example: { body: { jsonData: { hello: 'world' } } },
})

export const apiSend = operation({
  name: 'ApiSend',
  feature: 'Proxy',
  method: 'POST',
  path: '/api/ApiSend/:shortName',
  description: 'Send any request to a registered application.',
  changesState: true,
  // It changes something at the target, not here.
  audit: null,
  params: Type.Object({ shortName: Type.String({ minLength: 1, maxLength: 40 }) }),
  headers,
  query: Type.Object({
    newVersion: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True: return {statusCode, headers, data} instead of the body alone.',
      }),
    ),
  }),
  body: Type.Object(
    {
      verb: Type.String({ description: `One of ${proxyVerbs.join(', ')}.` }),
      requestUrl: Type.String({
        maxLength: addressLengthMax,
        description: 'Path below the base address, with its query.',
      }),
      baseUrl: Type.Optional(
        Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], {
          description: 'Another base address on a host that the application allows.',
        }),
      ),
      data: Type.Optional(
        Type.Unknown({
          description:
            'Sent as JSON, or as the Content-Type among the headers says; {"$base64": "…"} sends these bytes as they are.',
        }),
      ),
      headers: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
      responseType: Type.Optional(
        Type.Enum(['Json', 'Text', 'Binary'], {
          description: 'How the body is returned: parsed as JSON, as text/plain, or as base64 in a JSON string.',
        }),
      ),
      responseCodes: Type.Optional(
        Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
          maxItems: 100,
          description: 'Accepted status codes; every 2xx when absent.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  handedOn: 'data',
  bodyBytesMax: 48 * 1024 * 1024,
  answers: { 200: Target },
  otherContent: 'text/plain',
  refuses,
  example: { body: { verb: 'GET', requestUrl: 'orders?since=2025-01-01', responseType: 'Json' } },
})
