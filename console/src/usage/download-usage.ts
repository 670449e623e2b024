import { PatchbayError } from '@patchbay/sdk'
import type { Body } from '../api.ts'
import { managedAccountId } from '../session/managed-account.ts'
import { sessionToken } from '../session/session.ts'

/** The same figures as a file. It is text, not JSON, so it is asked for directly. */
export async function downloadUsage(body: Body<'Usage'>): Promise<void> {
  const managed = managedAccountId()
  const response = await fetch('/api/Usage?format=csv', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-CSRF-Token': sessionToken() ?? '',
      ...(managed === undefined ? {} : { ManagedAccountId: managed }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok)
    throw PatchbayError.from(response.status, await response.text(), response.headers.get('x-request-id'))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = `usage-${body.searchFrom.slice(0, 10)}-${body.searchTo.slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
