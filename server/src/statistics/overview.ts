import type { AnswerOf, Operations } from '@patchbay/contract'
import { hasRank, type Principal, type Reach, reachOf } from '../access/index.ts'
import { type Database, readOneMoment } from '../db/index.ts'
import { listAttention, type StorageQuotas } from './attention.ts'
import {
  countConnections,
  countGivenUp,
  countMails,
  countQueuedRequests,
  countWorkflows,
  listAccounts,
  sumStoredBytes,
} from './overview-store.ts'

const attentionMax = 200

export type OverviewDeps = { database: Database; quotas: StorageQuotas }

export async function getOverview(
  { database, quotas }: OverviewDeps,
  principal: Principal,
  acrossAccounts: boolean | undefined,
): Promise<AnswerOf<Operations['Overview']>> {
  const reach = reachOf(principal, acrossAccounts)
  const seesAll = hasRank(principal, 'SuperPartner')
  const organization: Reach = { kind: 'organization', organizationId: principal.account.organizationId }
  const [workflows, connections, queue, givenUp, outbox, attention, accounts, ...stored] = await readOneMoment(
    database.system,
    (db) =>
      Promise.all([
        countWorkflows(db, reach),
        countConnections(db, reach),
        countQueuedRequests(db, reach),
        countGivenUp(db, reach),
        countMails(db, reach),
        listAttention(db, reach, quotas, attentionMax),
        acrossAccounts ? listAccounts(db, reach) : undefined,
        sumStoredBytes(db, reach),
        seesAll ? sumStoredBytes(db, organization) : undefined,
      ]),
  )
  const [storedBytes, organizationStoredBytes] = stored
  return {
    workflows,
    connections,
    webhooks: { ...queue, givenUp },
    outbox,
    storage: {
      storedBytes,
      accountBytesMax: quotas.accountBytesMax,
      ...(organizationStoredBytes === undefined ? {} : { organizationStoredBytes }),
      organizationBytesMax: quotas.organizationBytesMax,
    },
    attention,
    ...(accounts ? { accounts } : {}),
  }
}
