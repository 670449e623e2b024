import type { Connections } from '../connections/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { apiAppVault } from './api-app-vault.ts'
import { apiAuth } from './api-auth.ts'
import { apiGet } from './api-get.ts'
import { apiPost } from './api-post.ts'
import { apiSend } from './api-send.ts'
import type { ApplicationCalls } from './application-call.ts'

type Deps = { connections: Connections; calls: ApplicationCalls }

export function proxyRoutes({
  connections,
  calls,
}: Deps): HandlersOf<'ApiAuth' | 'ApiAppVault' | 'ApiGet' | 'ApiPost' | 'ApiSend'> {
  return {
    ApiAuth: (request) => apiAuth(connections, request),
    ApiAppVault: (request) => apiAppVault(connections, request),
    ApiGet: (request) => apiGet(calls, request),
    ApiPost: (request) => apiPost(calls, request),
    ApiSend: (request) => apiSend(calls, request),
  }
}
