// Approvals over the API.
import { type BodyOf, type Operations, readPage } from '@patchbay/contract'
import { type Principal, reachOf } from '../../access/index.ts'
import { actorOf } from '../../audit/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { type Approval, listApprovalPage } from './approval-store.ts'
import { type DecideDeps, decide } from './decide.ts'

export async function listApprovals(
  { database }: DecideDeps,
  principal: Principal,
  body: BodyOf<Operations['Approvals']>,
) {
  const reach = reachOf(principal, body.acrossAccounts)
  const { approvals, total } = await listApprovalPage(database.system, reach, {
    ...readPage(body),
    isOpen: body.isOpen,
  })
  return { items: approvals.map(toAnswer), total }
}

export async function actOnApproval(
  deps: DecideDeps,
  principal: Principal,
  id: string,
  { action, comment, form }: BodyOf<Operations['ApprovalAction']>,
) {
  const given = {
    by: principal.caller.email,
    isApproved: action === 'approve',
    comment: comment?.trim() || null,
    form: form ?? {},
  }
  const approval = await decide(deps, { accountId: principal.account.id, id }, given, actorOf(principal))
  if (!approval) throw notFound('approval')
  return toAnswer(approval)
}

function toAnswer({ runId: _run, itemIndex: _item, countNeeded: _count, createdAt, timeoutAt, ...shown }: Approval) {
  return { ...shown, createDateTimeUTC: createdAt.toISOString(), timeoutDateTimeUTC: timeoutAt.toISOString() }
}
