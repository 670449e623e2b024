import type { ErrorCode } from './errors.ts'
import type { OperationSpec } from './operation.ts'

const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  // A text that the database cannot keep may come with any request.
  'cannot_be_stored',
  'in_another_cell',
  'too_many_requests',
  'internal',
  'content_damaged',
  'not_ready',
]
const withKeys: readonly ErrorCode[] = [
  'keys_missing',
  'keys_invalid',
  'address_not_allowed',
  'session_invalid',
  'managed_account_unreachable',
]

/** Every reason for which an operation may refuse: those it names, and those that follow from what it is like. */
export function refusalsOf(spec: OperationSpec): ErrorCode[] {
  return [...generalRefusals(spec), ...(spec.refuses ?? [])]
}

function generalRefusals(spec: OperationSpec): ErrorCode[] {
  const codes = [...everywhere]
  if (spec.access !== 'public') codes.push(...withKeys)
  if (spec.lowestRole !== undefined) codes.push('role_too_low')
  // A path value that is no id.
  if (spec.params && spec.malformedPathIs === undefined) codes.push('not_found')
  if (spec.body) codes.push('body_too_large')
  return codes
}
