// A key pair that is made for somebody else: its secret waits, sealed, to be read once.
import type { Queryable } from '../db/index.ts'
import { type DataKey, type KeyRing, type Place, seal } from '../secrets/index.ts'
import { makeKeyPair } from './secret.ts'
import { insertKey } from './store.ts'

const revealDays = 7

export function secretPlace(keyId: string, accountId: string): Place {
  return { table: 'api_keys', column: 'sealed_secret', rowId: keyId, accountId }
}

export async function insertWaitingKeyPair(
  tx: Queryable,
  keyRing: KeyRing,
  accountId: string,
  dataKey: DataKey,
): Promise<void> {
  const pair = makeKeyPair(keyRing.systemKey('apiKeyHash'))
  const sealedSecret = seal(dataKey, secretPlace(pair.id, accountId), Buffer.from(pair.secretKey))
  const waiting = { sealedSecret, untilDays: revealDays }
  await insertKey(tx, accountId, pair, { label: 'created with the account', waiting })
}
