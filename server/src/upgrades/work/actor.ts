import type { Actor } from '../../audit/index.ts'
import type { Upgrade } from '../store.ts'

/** Every wave is the doing of whoever started the upgrade. */
export function actorFor(upgrade: Upgrade, accountId: string): Actor {
  const { organizationId, startedBy, keyId, address } = upgrade
  const managedAccountId = accountId === startedBy ? null : accountId
  return { organizationId, accountId: startedBy, managedAccountId, keyId, address }
}
