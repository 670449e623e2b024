import type { KeyRing, Place } from '../../secrets/index.ts'
import type { SettingsKey } from './store.ts'

type SecretColumn = 'sealed_secret' | 'sealed_previous_secret'

export function sealSecret(keyRing: KeyRing, key: SettingsKey, column: SecretColumn, secret: string): Promise<Buffer> {
  return keyRing.seal(placeOf(key, column), Buffer.from(secret))
}

export async function openSecret(
  keyRing: KeyRing,
  key: SettingsKey,
  column: SecretColumn,
  sealed: Buffer,
): Promise<string> {
  return (await keyRing.open(placeOf(key, column), sealed)).toString()
}

function placeOf({ workflowId, accountId }: SettingsKey, column: SecretColumn): Place {
  return { table: 'webhooks', column, rowId: workflowId, accountId }
}
