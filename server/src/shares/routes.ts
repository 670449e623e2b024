import type { HandlersOf } from '../http/index.ts'
import { listSecureShares, takeBackShare } from './service.ts'
import { receiveUpload, type UploadDeps } from './upload.ts'

type Names = 'ProxySecureUpload' | 'SecureShares' | 'DeleteSecureShare'

export function shareRoutes(deps: UploadDeps): HandlersOf<Names> {
  return {
    ProxySecureUpload: async ({ principal, body, exchange }) => {
      // Until nothing of it is left to do, also when its sender has gone.
      using _slot = exchange.takeSlot('upload')
      return await receiveUpload(deps, principal, body, Number(exchange.header('content-length') ?? 0))
    },
    SecureShares: ({ principal }) => listSecureShares(deps, principal),
    DeleteSecureShare: ({ principal, params }) => takeBackShare(deps, principal, params.id),
  }
}
