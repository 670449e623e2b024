// OpenAPI 3.1, made from the table of operations.
import { ErrorBody, features, namedSchemas, type OperationSpec } from '@patchbay/contract'
import type { TSchema } from 'typebox'
import { sessionCookie } from '../caller/authenticate.ts'
import { sharedHeaders, sharedResponses } from './answers.ts'
import { ComponentSchemas } from './component-schemas.ts'
import { describeOperation } from './operation.ts'

const about = [
  'Send a key pair as `Consumer` and `SecretKey` with every request. To act for another account, name it in `ManagedAccountId`.',
  'Refusals have the body `{code, errorMessage, response}`; errorMessage says what is wrong and with which field.',
  'Times are ISO 8601 with an offset; seconds are optional. Responses use UTC. Ids are GUIDs.',
  'Enum values are case-insensitive. An optional field of a request body that is null counts as not given, unless its description says what null means.',
].join(' ')

export function openApiDocument(
  operations: Readonly<Record<string, OperationSpec>>,
  records: Readonly<Record<string, TSchema>>,
  baseUrl: string,
) {
  const components = new ComponentSchemas({ Error: ErrorBody, ...records, ...namedSchemas })
  const paths: Record<string, Record<string, object>> = {}
  for (const spec of Object.values(operations)) {
    const path = spec.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][spec.method.toLowerCase()] = describeOperation(spec, components)
  }
  components.refer(ErrorBody, 'answer')
  for (const record of Object.values(records)) components.refer(record, 'answer')
  return {
    openapi: '3.1.0',
    info: { title: 'Patchbay', version: '1', description: about, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: isLoopback(baseUrl) ? '/' : baseUrl, description: 'This installation.' }],
    security: [
      { consumer: [], secretKey: [] },
      { session: [], csrfToken: [] },
    ],
    tags: Object.entries(features).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      headers: sharedHeaders,
      parameters: { ManagedAccountId: managedAccount },
      responses: sharedResponses(),
      securitySchemes: {
        consumer: apiKey('header', 'Consumer', 'The public part of a key pair.'),
        secretKey: apiKey('header', 'SecretKey', 'The private part of a key pair.'),
        session: apiKey('cookie', sessionCookie, 'Set by SignIn, for browsers.'),
        csrfToken: apiKey('header', 'X-CSRF-Token', 'The csrfToken of the session.'),
      },
    },
  }
}

const managedAccount = {
  name: 'ManagedAccountId',
  in: 'header',
  required: false,
  description: 'Act for this account, which you must be allowed to manage.',
  schema: { type: 'string', format: 'uuid' },
}

function apiKey(where: 'header' | 'cookie', name: string, description: string) {
  return { type: 'apiKey', in: where, name, description }
}

/** An address that only this machine knows says nothing to a reader elsewhere; "the host this came from" does. */
function isLoopback(url: string): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(new URL(url).hostname)
}
