import { createHmac, randomBytes } from 'node:crypto'
import { withCell } from '../lib/cell.ts'
import { newId } from '../lib/id.ts'
import { newToken } from '../lib/token.ts'

export type NewKeyPair = { id: string; consumer: string; secretKey: string; secretHash: Buffer }

/** 256-bit secrets need no slow hash; a keyed one makes a stolen table useless without the master key. */
export function hashSecret(pepper: Buffer, secretKey: string): Buffer {
  return createHmac('sha256', pepper).update(secretKey).digest()
}

export function makeKeyPair(pepper: Buffer): NewKeyPair {
  const secretKey = newToken('pbs')
  return {
    id: newId(),
    consumer: `${withCell('pbc')}_${randomBytes(18).toString('base64url')}`,
    secretKey,
    secretHash: hashSecret(pepper, secretKey),
  }
}
