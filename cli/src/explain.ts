// Any error as one sentence. Nothing here prints headers or bodies of requests: they may hold keys.
import type { ConnectionError, PatchbayError } from '@patchbay/sdk'
import { type ExitCode, Failure } from './failure.ts'

export function explain(error: unknown): { message: string; exitCode: ExitCode } {
  if (error instanceof Failure) return { message: error.message, exitCode: error.exitCode }
  return { message: sentenceOf(error), exitCode: 1 }
}

function sentenceOf(error: unknown): string {
  // By name: the sdk brings the whole contract, and wrong use is said without waiting for it.
  const { name, message } = error as Error
  if (name === 'PatchbayError') return explainRefusal(error as PatchbayError)
  if (name === 'AbortError' || (name === 'ConnectionError' && (error as ConnectionError).isCancelled))
    return 'Cancelled.'
  return explainFile(error as NodeJS.ErrnoException) ?? message ?? String(error)
}

function explainRefusal(error: PatchbayError): string {
  if (error.status === 401) return `${error.message} Run "patchbay login" with a valid key pair.`
  if (error.status === 404 && error.message.startsWith('No such route')) {
    return `${error.message} The service is older than this CLI. Update the service, or use the CLI of the same version.`
  }
  return error.status >= 500 && error.requestId ? `${error.message} (request ${error.requestId})` : error.message
}

/** Undefined for what is no error of the file system. */
function explainFile({ code, path, message }: NodeJS.ErrnoException): string | undefined {
  switch (code) {
    case 'ENOSPC':
      return `The disk is full${path ? `: ${path} was not written` : ''}.`
    case 'EDQUOT':
    case 'EFBIG':
      return `${path ?? 'A file'} was not written: it exceeds your quota or the largest size allowed for a file.`
    case 'EACCES':
    case 'EPERM':
      return `No permission: ${path ?? message}.`
    case 'EROFS':
      return `${path ?? 'A file'} was not written: the file system is read-only.`
    case 'ENOENT':
      return path && `${path} does not exist.`
    case 'EISDIR':
      return path && `${path} is a folder; a file is needed.`
    case 'ENOTDIR':
      return path && `${path} cannot exist: a part of the path is a file.`
    default:
      return undefined
  }
}
