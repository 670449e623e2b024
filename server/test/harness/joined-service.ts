// One service for all test files of a process, and an organization of its own for each of them: organizations are isolated from each other,
// which server/test/security/tenancy.test.ts proves. A file that needs settings, a stop, or the database for itself starts its own.

import { uniqueEmail } from './accounts.ts'
import { createOrganizationOn } from './organization.ts'
import { expectDeclared } from './refused-requests.ts'
import { startService, type TestService } from './service.ts'

/** It ends with the process. */
let running: Promise<TestService> | undefined

/**
 * As `startService()`, only that others have been there before: `asOwner` sees their rows too, `logText` begins here, and the first account is the
 * Manager of a new organization.
 */
export async function joinService(): Promise<TestService> {
  running ??= startService()
  const service = await running
  const saidBefore = service.logText().length
  const logText = () => service.logText().slice(saidBefore)
  const firstAccount = await createOrganizationOn(service, 'My organization', uniqueEmail())
  return {
    ...service,
    firstAccount,
    manager: service.client(firstAccount),
    logText,
    async [Symbol.asyncDispose]() {
      expectDeclared(logText().split('\n'))
    },
  }
}
