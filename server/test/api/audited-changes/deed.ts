// What changes without an operation that names it: on pages, by the operator, by the service itself, or on an operation's second way.
import type { AuditAction } from '@patchbay/contract'
import { Database } from '../../../src/db/index.ts'
import type { HttpTarget } from '../../harness/http-target.ts'
import type { OAuthProvider } from '../../harness/oauth-provider.ts'
import type { TestService } from '../../harness/service.ts'

export type Deed = {
  action: AuditAction
  /** Told apart by this from others of the same action. */
  name: string
  /** Resolves, when everything is prepared, with what to watch. */
  prepare(): Promise<() => Promise<Expected>>
}

type Expected = {
  target: string
  actor: Actor
  /** What is written besides. */
  also?: readonly AuditAction[]
}

type Actor = { accountId: string | null; managedAccountId: string | null; keyId: unknown; address: string | null }

const nobody: Actor = { accountId: null, managedAccountId: null, keyId: null, address: null }
const address = '127.0.0.1'

/** The operator at the machine, or the service for nobody in particular. */
export const operator = nobody
export const visitor: Actor = { ...nobody, address }
export const person = (accountId: string): Actor => ({ ...nobody, accountId, address })
/** Somebody whom the service does not know, at something of this account. */
export const strangerAt = (managedAccountId: string): Actor => ({ ...nobody, managedAccountId, address })
export const serviceFor = (managedAccountId: string): Actor => ({ ...nobody, managedAccountId })

export type Surroundings = { service: TestService; target: HttpTarget; provider: OAuthProvider }

/** As the operator's commands do it, without starting a program for each. */
export async function onDatabase<Result>(service: TestService, act: (database: Database) => Promise<Result>) {
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  return await act(database)
}

/** Sends a form as a browser would, and follows nothing. */
export async function sendForm(url: string, fields: Record<string, string>): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
  return { status: answer.status, text: await answer.text() }
}
