// From headers to a principal. Keys win over a session; a managed account that is named is reached or refused, never ignored.
import type { AccountIdentity, Principal } from '../../access/index.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Exchange } from '../handler.ts'

export type Credential = { account: AccountIdentity; kind: 'key' | 'session'; id: string }

export type Authenticators = {
  byKeys(consumer: string, secretKey: string, address: string): Promise<Credential> | Credential
  /** Without the token of our own pages, unless `needsNoToken`, another site could use the cookie. */
  bySession(token: string, csrfToken: string | undefined, needsNoToken: boolean): Promise<Credential>
  managedAccount(caller: AccountIdentity, id: string): Promise<AccountIdentity>
}

export const sessionCookie = 'patchbay_session'

/** Who is calling. */
export function authenticateCaller(
  how: Authenticators,
  exchange: Exchange,
  needsNoToken = false,
): Promise<Credential> | Credential {
  const consumer = exchange.header('consumer')
  const secretKey = exchange.header('secretkey')
  const session = exchange.cookie(sessionCookie)
  if (consumer === undefined && secretKey === undefined && session !== undefined) {
    return how.bySession(session, exchange.header('x-csrf-token'), needsNoToken)
  }
  if (!consumer || !secretKey) {
    throw new AppError(
      'keys_missing',
      `The header ${consumer ? 'SecretKey' : 'Consumer'} is missing. Every request needs both Consumer and SecretKey.`,
    )
  }
  return how.byKeys(consumer, secretKey, exchange.address)
}

/** For whom. A header that is there but empty names no account, and is refused like any other that does not. */
export function selectAccount(
  how: Authenticators,
  exchange: Exchange,
  credential: Credential,
): Principal | Promise<Principal> {
  const managedId = exchange.header('managedaccountid')
  const caller = credential.account
  const actingFor = (account: AccountIdentity): Principal => ({
    caller,
    account,
    isManaging: managedId !== undefined,
    credential: { kind: credential.kind, id: credential.id },
    address: exchange.address,
  })
  return managedId === undefined ? actingFor(caller) : how.managedAccount(caller, managedId).then(actingFor)
}

/** For an answer that goes on: whether its caller is still who it was, and may still do what it does. */
export async function identify(how: Authenticators, exchange: Exchange): Promise<Principal> {
  return selectAccount(how, exchange, await authenticateCaller(how, exchange, true))
}
