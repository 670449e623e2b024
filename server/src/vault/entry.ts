// An entry is known by its holder and its key; its value is sealed for that place and for no other.

import { hash } from 'node:crypto'
import { vaultKeyLengthMax, vaultValueBytesMax } from '@patchbay/contract'
import type { Scope } from '../db/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import { isDeeperThan, type Json } from '../lib/json.ts'

import type { Place } from '../secrets/index.ts'

/** A workflow's own entries, or those that all workflows of the account see. */
export type VaultPlace = { workflowId: string } | { accountId: string }

export type EntryId = { accountId: string; holderId: string; key: Buffer; keyHash: Buffer }

// Far above any honest value, far below the depth at which writing JSON would exhaust the stack.
const depthMax = 1000

/** Throws not-found for another account: a place is never looked up outside the scope it is asked from. */
export function entryId(scope: Scope, at: VaultPlace, key: string): EntryId {
  const holderId = 'workflowId' in at ? at.workflowId : at.accountId
  if ('accountId' in at && holderId !== scope.accountId) throw notFound('account')
  // The account's own id marks the entries of the account: no workflow has it.
  if ('workflowId' in at && holderId === scope.accountId) throw notFound('workflow')
  if (key.length === 0 || key.length > vaultKeyLengthMax)
    throw invalid(`A vault key must have 1 to ${vaultKeyLengthMax} characters.`)
  const bytes = Buffer.from(key, 'utf8')
  return {
    accountId: scope.accountId,
    holderId,
    key: bytes,
    keyHash: hash('sha256', bytes, 'buffer'),
  }
}

/** Ids and hash are in the associated data, so that a value opens only where it was put. */
export function sealPlace(id: EntryId): Place {
  return {
    table: 'vault_entries',
    column: 'sealed_value',
    rowId: `${id.holderId}/${id.keyHash.toString('hex')}`,
    accountId: id.accountId,
  }
}

/** The JSON text of a value; undefined, which scripts can produce, is null. */
export function writeValue(value: unknown): Buffer {
  if (isDeeperThan(depthMax, value))
    throw invalid(`The field jsonData must not be nested deeper than ${depthMax} levels.`)
  const text = Buffer.from(JSON.stringify(value) ?? 'null', 'utf8')
  if (text.length > vaultValueBytesMax) {
    throw invalid(`The field jsonData must have at most ${vaultValueBytesMax} bytes as JSON; it has ${text.length}.`)
  }
  return text
}

/** Refuses what the vault would refuse. */
export function checkEntry(scope: Scope, at: VaultPlace, key: string, value?: Json): void {
  entryId(scope, at, key)
  if (value !== undefined) writeValue(value)
}
