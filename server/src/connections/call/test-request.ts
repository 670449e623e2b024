import type { ConnectionRequest } from '../connection.ts'
import type { Callable } from '../credentials/opened-connection.ts'

type TestRequest = NonNullable<Callable['application']['testRequest']>

export function testRequestOf(request: TestRequest): ConnectionRequest {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body)
  return {
    method: request.method,
    path: request.path,
    isTestRequest: true,
    timeoutMs: 15_000,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  }
}
