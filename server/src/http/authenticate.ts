// From headers to a principal. Keys win over a session; a managed account that is named is reached or refused, never ignored.
import type { AccountIdentity, Principal } from '../access/index.ts'
import { AppError } from '../lib/app-error.ts'
import type { Exchange } from './handler.ts'

export type Credential = { account: AccountIdentity; kind: 'key' | 'session'; id: string }

export type Authenticators = {
  byKeys(consumer: string, secretKey: string, address: string): Promise<Credential> | Credential
  bySession(token: string, csrfToken: string | undefined): Promise<Credential>
  managedAccount(caller: AccountIdentity, id: string): Promise<AccountIdentity>
}

export const sessionCookie = 'patchbay_session'

export async function authenticate(how: Authenticators, exchange: Exchange): Promise<Principal> {
  const consumer = exchange.header('consumer')
  const secretKey = exchange.header('secretkey')
  const session = exchange.cookie(sessionCookie)
  let credential: Credential
  if (consumer !== undefined || secretKey !== undefined || session === undefined) {
    if (!consumer || !secretKey) {
      throw new AppError(
        'keys_missing',
        `The header ${consumer ? 'SecretKey' : 'Consumer'} is missing: every request carries SecretKey and Consumer.`,
      )
    }
    credential = await how.byKeys(consumer, secretKey, exchange.address)
  } else {
    credential = await how.bySession(session, exchange.header('x-csrf-token'))
  }
  const managedId = exchange.header('managedaccountid')
  const caller = credential.account
  const account = managedId === undefined || managedId === '' ? caller : await how.managedAccount(caller, managedId)
  return {
    caller,
    account,
    isManaging: managedId !== undefined && managedId !== '',
    credential: { kind: credential.kind, id: credential.id },
    address: exchange.address,
  }
}
