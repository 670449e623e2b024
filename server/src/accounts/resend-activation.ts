import { mayActFor, type Principal } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { createTokenBuckets } from '../lib/token-bucket.ts'
import { type InviteDeps, resendInvitation } from '../sessions/index.ts'
import { findInvited } from './store.ts'

const mailsPerHour = 5

export function activationResender(
  deps: InviteDeps & { database: Database },
): (principal: Principal, id: string) => Promise<undefined> {
  const byAccount = createTokenBuckets({ perSecond: mailsPerHour / 3600, burst: mailsPerHour })
  return async (principal, id) => {
    const { caller } = principal
    const { organizationId } = caller
    const scope = { organizationId, accountId: id }
    await deps.database.forScope(scope).transaction(async (tx) => {
      const invited = await findInvited(tx, organizationId, id)
      if (!invited || !mayActFor(caller, invited)) throw notFound('account')
      if (invited.state !== 'inActive') {
        throw new AppError(
          'account_state_not_permitted',
          `This account is ${invited.state}. Only an account that is inActive can be activated by a link.`,
        )
      }
      if (byAccount(id).refused) {
        throw new AppError(
          'too_many_requests',
          `An account gets at most ${mailsPerHour} activation e-mails per hour. Try again later.`,
        )
      }
      await recordAudit(tx, actorOf(principal), { action: 'account.invitedAgain', target: id })
      await resendInvitation(deps, tx, { ...invited, isActive: false })
    })
  }
}
