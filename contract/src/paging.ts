import { Type } from 'typebox'
import { listSizeMax } from './list-size.ts'

// 2^31 - 1 keeps every page number inside a PostgreSQL integer; no list is that long.
export const Page = Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'Zero-based page.' })
export const Size = Type.Integer({ minimum: 1, maximum: listSizeMax, default: 50, description: 'Items per page.' })
export const SearchTerm = Type.String({
  maxLength: 500,
  description: 'Text to look for, without regard to case; % and _ are ordinary characters.',
})
export const TagFilter = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 100,
  description: 'Only items that carry every one of these tags.',
})
export const Tags = Type.Array(Type.String(), { description: 'Its tags, in order.' })
