// Any error as one sentence. Nothing here prints headers or bodies of requests: they may hold keys.
import { ConnectionError, PatchbayError } from '@patchbay/sdk'
import { type ExitCode, Failure } from './failure.ts'

export function explain(error: unknown): { message: string; exitCode: ExitCode } {
  if (error instanceof Failure) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof PatchbayError) return { message: explainRefusal(error), exitCode: 1 }
  if (error instanceof ConnectionError) return { message: error.message, exitCode: 1 }
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return { message: `The disk is full${path ? `: ${path} was not written` : ''}.`, exitCode: 1 }
  if (code === 'EACCES' || code === 'EPERM') return { message: `No permission: ${path ?? message}.`, exitCode: 1 }
  return { message: message ?? String(error), exitCode: 1 }
}

function explainRefusal(error: PatchbayError): string {
  const requestId = error.requestId ? ` (request ${error.requestId})` : ''
  if (error.status === 401) return `${error.message} Run "patchbay login" with a valid key pair.`
  if (error.status === 404 && error.message.startsWith('No such route')) {
    return `${error.message} The service is older than this command: update it, or use the command of its version.`
  }
  return error.status >= 500 ? `${error.message}${requestId}` : error.message
}
