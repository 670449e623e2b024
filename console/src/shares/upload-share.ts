// The only call that is not made with fetch: fetch cannot tell how much of a file has left already.
import { PatchbayError } from '@patchbay/sdk'
import { managedAccountId } from '../session/managed-account.ts'
import { sessionToken } from '../session/session.ts'

export function uploadShare(
  files: readonly File[],
  fields: Readonly<Record<string, string>>,
  onProgress: (part: number) => void,
): Promise<void> {
  const form = new FormData()
  // Fields go first: the service knows what to do with the files before they arrive.
  for (const [name, value] of Object.entries(fields)) if (value !== '') form.append(name, value)
  for (const file of files) form.append('files', file, file.name)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/api/ProxySecureUpload')
    request.setRequestHeader('X-CSRF-Token', sessionToken() ?? '')
    const managed = managedAccountId()
    if (managed !== undefined) request.setRequestHeader('ManagedAccountId', managed)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener('error', () => reject(new TypeError('The upload was interrupted.')))
    request.addEventListener('load', () => {
      if (request.status < 300) resolve()
      else reject(PatchbayError.from(request.status, request.responseText, request.getResponseHeader('x-request-id')))
    })
    request.send(form)
  })
}
