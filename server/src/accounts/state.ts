// Account states by hand of a Manager. Activation by the mailed link lives with the sessions.
import type { AccountStateName } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { canActivateAccounts } from './create.ts'
import { findForChange, updateState } from './store.ts'

const transitions: Record<AccountStateName, readonly AccountStateName[]> = {
  inActive: ['active', 'archived'],
  active: ['locked', 'archived'],
  locked: ['active', 'archived'],
  archived: [],
}

export async function changeAccountState(
  deps: { database: Database },
  principal: Principal,
  id: string,
  wanted: AccountStateName,
): Promise<undefined> {
  const { organizationId } = principal.account
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const found = await findForChange(tx, organizationId, id)
    if (!found) throw notFound('account')
    const current = found.state
    if (current === wanted) return
    if (!transitions[current].includes(wanted)) {
      const allowed = transitions[current].join(' or ')
      const reason =
        allowed === ''
          ? `an ${current} account cannot be changed`
          : `an account that is ${current} can only become ${allowed}`
      throw new AppError('account_state_not_permitted', `The field accountState cannot be ${wanted}: ${reason}.`)
    }
    if (current === 'inActive' && wanted === 'active' && !principal.caller.permissions.includes(canActivateAccounts)) {
      throw new AppError(
        'account_state_not_permitted',
        `Activating an account without its e-mailed link needs the permission ${canActivateAccounts}.`,
      )
    }
    // Nobody can shut out the last one who could let others in again.
    if (id === principal.caller.id) {
      throw new AppError('account_state_not_permitted', 'You cannot change the state of your own account.')
    }
    if (found.isLastActiveManager) {
      throw new AppError('account_state_not_permitted', 'This is the last active Manager of the organization.')
    }
    await Promise.all([
      updateState(tx, organizationId, id, wanted),
      recordAudit(tx, actorOf(principal), {
        action: 'account.stateChanged',
        target: id,
        details: { from: current, to: wanted },
      }),
    ])
  })
}
