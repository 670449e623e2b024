import { Type } from 'typebox'
import { guidPattern } from './client-values.ts'

/** What a field of this schema is called in a refusal: "must be a GUID" instead of a regular expression. */
export const Guid = Type.String({ pattern: guidPattern, format: 'uuid', title: 'GUID' })

/** Beside every address of an account: people know their customers by name. */
export const AccountName = Type.String({ description: 'Name of the account; its e-mail address where it has none.' })

export const timestampPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$'

export const Timestamp = Type.String({ pattern: timestampPattern, format: 'date-time', title: 'ISO 8601 timestamp' })
