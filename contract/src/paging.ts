import { Type } from 'typebox'
import { listSizeMax } from './client-values.ts'

// 2^31 - 1 keeps every page number inside a PostgreSQL integer; no list is that long.
const page = { minimum: 0, maximum: 2_147_483_647, description: 'Zero-based page.' }
const size = { minimum: 1, maximum: listSizeMax, description: 'Items per page.' }
const defaults = { page: 0, size: 50 }
export const Page = Type.Integer({ ...page, default: defaults.page })
export const Size = Type.Integer({ ...size, default: defaults.size })
export const RequiredPage = Type.Integer(page)
export const RequiredSize = Type.Integer(size)
export const SearchTerm = Type.String({
  maxLength: 500,
  description: 'Text to look for, without regard to case; % and _ are ordinary characters.',
})
export const TagFilter = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 100,
  description: 'Only items that carry every one of these tags.',
})
export const Tags = Type.Array(Type.String(), { description: 'Its tags, in order.' })

/** The page that a request asks for, also where it does not say. */
export function readPage({ page = defaults.page, size = defaults.size }: { page?: number; size?: number }) {
  return { page, size }
}
