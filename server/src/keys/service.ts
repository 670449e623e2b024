import { type Principal, requireRank, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { isAddressOrCidr } from '../lib/address-list.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import type { KeyRing } from '../secrets/index.ts'
import { makeKeyPair } from './secret.ts'
import { deleteKey, insertKey, type KeySettings, takeWaitingSecret, updateKey } from './store.ts'
import { secretPlace } from './waiting-secret.ts'

type Deps = { database: Database; keyRing: KeyRing }
type Given = { label?: string; ipRestriction?: string[]; expiresDateTimeUTC?: string | null }

/** Keys of an account carry its role, so nobody makes or changes those of an account that ranks above him. */
function requireRankOfAccount(principal: Principal): void {
  requireRank(principal, principal.account.role)
}

export async function createKeyPair(deps: Deps, principal: Principal, given: Given) {
  requireRankOfAccount(principal)
  const settings = checkSettings(given)
  const pair = makeKeyPair(deps.keyRing.systemKey('apiKeyHash'))
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    await Promise.all([
      insertKey(tx, principal.account.id, pair, settings),
      recordAudit(tx, actorOf(principal), {
        action: 'apiKey.created',
        target: pair.id,
        details: { consumer: pair.consumer },
      }),
    ])
  })
  return { id: pair.id, consumer: pair.consumer, secretKey: pair.secretKey }
}

export async function changeKeyPair(deps: Deps, principal: Principal, id: string, given: Given): Promise<undefined> {
  requireRankOfAccount(principal)
  const settings = checkSettings(given)
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if (!(await updateKey(tx, principal.account.id, id, settings))) throw notFound('key pair')
    await recordAudit(tx, actorOf(principal), { action: 'apiKey.changed', target: id, details: settings })
  })
}

export async function revokeKeyPair(deps: Deps, principal: Principal, id: string): Promise<boolean> {
  requireRankOfAccount(principal)
  return deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if (!(await deleteKey(tx, principal.account.id, id))) throw notFound('key pair')
    await recordAudit(tx, actorOf(principal), { action: 'apiKey.revoked', target: id })
    return true
  })
}

/** For the account itself or its creator, who need not act as the account: so the caller decides, not the managed account. */
export async function revealSecret(deps: Deps, principal: Principal, id: string) {
  return deps.database.system.transaction(async (tx) => {
    const taken = await takeWaitingSecret(tx, principal.caller.id, id)
    if (!taken) throw notFound('key pair')
    const secret = await deps.keyRing.open(secretPlace(taken.id, taken.accountId), taken.sealedSecret)
    await recordAudit(tx, actorOf(principal), { action: 'apiKey.revealed', target: taken.id })
    return { id: taken.id, consumer: taken.consumer, secretKey: secret.toString() }
  })
}

function checkSettings(given: Given): KeySettings {
  const wrong = given.ipRestriction?.find((entry) => !isAddressOrCidr(entry))
  if (wrong !== undefined)
    throw invalid(`The field ipRestriction must contain IP addresses or CIDR ranges; "${wrong}" is neither.`)
  return {
    label: given.label,
    ipRestriction: given.ipRestriction?.map((entry) => entry.trim()),
    expiresAt: given.expiresDateTimeUTC,
  }
}
