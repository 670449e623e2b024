// Who is calling, for whom, and by which credential. Decided once per request and carried; nothing below asks again.
import { type RoleName, rankOf } from '@patchbay/contract'
import type { Scope } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'

export type AccountIdentity = {
  readonly id: string
  readonly email: string
  readonly organizationId: string
  readonly organizationName: string
  readonly role: RoleName
  readonly permissions: readonly string[]
  readonly countryKey: string | null
}

export type Principal = {
  /** Role checks look at the caller. */
  readonly caller: AccountIdentity
  /** Data belongs to this account: the managed one, or the caller's own. */
  readonly account: AccountIdentity
  readonly isManaging: boolean
  readonly credential: { readonly kind: 'key' | 'session'; readonly id: string }
  readonly address: string
}

export function scopeOf(principal: Principal): Scope {
  return { organizationId: principal.account.organizationId, accountId: principal.account.id }
}

export function hasRank(principal: Principal, lowest: RoleName): boolean {
  return rankOf(principal.caller.role) >= rankOf(lowest)
}

export function requireRank(principal: Principal, lowest: RoleName): void {
  if (!hasRank(principal, lowest)) {
    throw new AppError(
      'role_too_low',
      `This needs the role ${lowest} or higher. Your role is ${principal.caller.role}.`,
    )
  }
}
