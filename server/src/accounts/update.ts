import { type RoleName, roleNames } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { canActivateAccounts } from './create.ts'
import { type AccountChange, findForChange, updateAccount } from './store.ts'

type Given = {
  firstName?: string
  lastName?: string
  countryKey?: string
  roleName?: string
  canActivateAccounts?: boolean
}

/** What a Manager may change of an account of the organization. What is not given stays as it is. */
export async function changeAccount(
  deps: { database: Database },
  principal: Principal,
  id: string,
  given: Given,
): Promise<undefined> {
  const role = given.roleName === undefined ? undefined : readRole(given.roleName)
  if (given.canActivateAccounts === true && !principal.caller.permissions.includes(canActivateAccounts)) {
    throw new AppError(
      'activation_not_permitted',
      `Only an account with the permission ${canActivateAccounts} can give it to another.`,
    )
  }
  const { organizationId } = principal.account
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const found = await findForChange(tx, organizationId, id)
    if (!found) throw notFound('account')
    if (role !== undefined && role !== 'Manager' && found.isLastActiveManager) {
      throw new AppError(
        'role_not_permitted',
        'This is the last active Manager of the organization. Make another account a Manager first.',
      )
    }
    const change: AccountChange = {
      firstName: given.firstName,
      lastName: given.lastName,
      countryKey: given.countryKey?.toUpperCase(),
      role,
      permissions:
        given.canActivateAccounts === undefined
          ? undefined
          : [
              ...found.permissions.filter((permission) => permission !== canActivateAccounts),
              ...(given.canActivateAccounts ? [canActivateAccounts] : []),
            ],
    }
    await Promise.all([
      updateAccount(tx, organizationId, id, change),
      recordAudit(tx, actorOf(principal), { action: 'account.changed', target: id, details: change }),
    ])
  })
}

function readRole(name: string): RoleName {
  const role = roleNames.find((known) => known.toLowerCase() === name.toLowerCase())
  if (!role) throw new AppError('role_not_permitted', `The field roleName must be one of ${roleNames.join(', ')}.`)
  return role
}
