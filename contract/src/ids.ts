import { Type } from 'typebox'

// Any RFC 9562 layout is accepted: ids of other systems' making (fixed GUIDs in catalogues) need not be version 4 or 7.
export const guidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

/** What a field of this schema is called in a refusal: "must be a GUID" instead of a regular expression. */
export const Guid = Type.String({ pattern: guidPattern, format: 'uuid', title: 'GUID' })

export const timestampPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$'

export const Timestamp = Type.String({ pattern: timestampPattern, format: 'date-time', title: 'ISO 8601 timestamp' })

const guid = new RegExp(guidPattern)

export function isGuid(value: unknown): value is string {
  return typeof value === 'string' && guid.test(value)
}
