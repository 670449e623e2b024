import { type RoleName, rankOf } from '@patchbay/contract'
import { hasRank, type Principal } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import { type Database, inOrder, violatedConstraint } from '../db/index.ts'
import { insertWaitingKeyPair } from '../keys/index.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import type { Outbox } from '../mail/index.ts'
import { insertDataKey, type KeyRing } from '../secrets/index.ts'
import { sendInvitation } from '../sessions/index.ts'
import { insertAccount, type NewAccount } from './store.ts'

export type CreateDeps = { database: Database; keyRing: KeyRing; outbox: Outbox; baseUrl: () => string }

type Given = {
  email: string
  firstName: string
  lastName: string
  roleName: string
  countryKey?: string
  activated?: boolean
}

/** Managers come with organizations, not from this endpoint. */
const creatableRoles: readonly RoleName[] = ['User', 'DevPartner', 'SuperPartner']
export const canActivateAccounts = 'canActivateAccounts'

export async function createAccount(deps: CreateDeps, principal: Principal, given: Given): Promise<string> {
  const { caller } = principal
  if (!hasRank(principal, 'DevPartner')) {
    throw new AppError('user_cannot_create_accounts', 'An account with the role User cannot create accounts.')
  }
  const role = creatableRoles.find((name) => name.toLowerCase() === given.roleName.toLowerCase())
  if (!role) throw new AppError('role_not_permitted', `The field roleName must be one of ${creatableRoles.join(', ')}.`)
  if (rankOf(role) > rankOf(caller.role)) {
    throw new AppError('role_not_permitted', `The field roleName must not be above your own role, ${caller.role}.`)
  }
  const isActivated = given.activated === true
  if (isActivated && !caller.permissions.includes(canActivateAccounts)) {
    throw new AppError(
      'activation_not_permitted',
      `Creating activated accounts needs the permission ${canActivateAccounts}.`,
    )
  }
  const id = newId()
  const dataKey = await deps.keyRing.newDataKey(id)
  // The rows belong to the new account, so that is the scope they are written in.
  await deps.database
    .forScope({ organizationId: principal.account.organizationId, accountId: id })
    .transaction(async (tx) => {
      const account: NewAccount = {
        id,
        organizationId: principal.account.organizationId,
        email: given.email,
        firstName: given.firstName,
        lastName: given.lastName,
        role,
        state: isActivated ? 'active' : 'inActive',
        countryKey: given.countryKey?.toUpperCase() ?? caller.countryKey,
        permissions: [],
        createdBy: caller.id,
      }
      await inOrder(tx, [
        (db) => insertAccount(db, account),
        (db) => insertDataKey(db, id, dataKey),
        (db) =>
          Promise.all([
            recordAudit(db, actorOf(principal), {
              action: 'account.created',
              target: id,
              details: { email: given.email, role, isActivated },
            }),
            isActivated ? insertWaitingKeyPair(db, deps.keyRing, id, dataKey.key) : undefined,
            sendInvitation(
              deps,
              db,
              { id, email: given.email, firstName: given.firstName, isActive: isActivated },
              dataKey.key,
            ),
          ]),
      ])
    })
    .catch((error) => {
      throw violatedConstraint(error) === 'accounts_email_unique'
        ? new AppError('email_taken', `An account with the e-mail address ${given.email} already exists.`)
        : error
    })
  return id
}
