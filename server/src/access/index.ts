export { type AccountRow, toIdentity } from './identity-row.ts'
export { managedAccounts, mayActFor } from './managed-account.ts'
export { type AccountIdentity, hasRank, type Principal, requireRank, scopeOf } from './principal.ts'
export { accountName, accountsInReach, type Reach, reachOf } from './reach.ts'
