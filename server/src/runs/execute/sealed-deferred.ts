// Deferred vault values wait for the end of their run in the record of the last block that changed them, sealed like the vault itself.
import type { JsonObject } from '../../lib/json.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import type { SessionState } from '../run.ts'

type Deferred = { vault: JsonObject; vaultGlobal: JsonObject }

export async function sealDeferred(
  keyRing: KeyRing,
  at: { runId: string; blockId: string; accountId: string },
  { vault, vaultGlobal }: Deferred,
): Promise<Buffer | null> {
  const text = JSON.stringify({ vault, vaultGlobal })
  return text === '{"vault":{},"vaultGlobal":{}}' ? null : keyRing.seal(placeOf(at), Buffer.from(text))
}

export async function openDeferred(
  keyRing: KeyRing,
  at: { runId: string; blockId: string; accountId: string },
  sealed: Buffer | null,
): Promise<Omit<SessionState, 'vars'>> {
  if (sealed === null) return { vault: {}, vaultGlobal: {} }
  return JSON.parse((await keyRing.open(placeOf(at), sealed)).toString()) as Deferred
}

function placeOf({ runId, blockId, accountId }: { runId: string; blockId: string; accountId: string }): Place {
  return { table: 'run_blocks', column: 'sealed_deferred', rowId: `${runId}/${blockId}`, accountId }
}
