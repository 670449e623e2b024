// ETag and If-Match of a workflow: the number of its newest revision in quotes.
import type { Queryable } from '../../db/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { listRevisions } from './store.ts'

export function eTagOf(revision: number): string {
  return `"${revision}"`
}

/** The revisions that a caller accepts as the newest; undefined when any will do. */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const tags = header.split(',').map((tag) => /^"([1-9]\d{0,9})"$/.exec(tag.trim())?.[1])
  if (tags.includes(undefined)) {
    throw invalid('Invalid If-Match header. Send the ETag of the workflow, for example "3", or * for any revision.')
  }
  return tags.map(Number)
}

/** Says who was faster, so that people can talk to each other. */
export async function changedMeanwhile(
  db: Queryable,
  workflow: { id: string; accountId: string; revision: number },
  expected: readonly number[],
): Promise<AppError> {
  const { items } = await listRevisions(db, workflow.accountId, workflow.id, { page: 0, size: 1 })
  const newest = items[0]
  const who = newest?.email ?? 'somebody whose account no longer exists'
  const when = newest?.createDateTimeUTC ?? 'an unknown time'
  return new AppError(
    'workflow_changed',
    `The workflow was changed by ${who} at ${when}: its newest revision is ${newest?.revision ?? workflow.revision}, not ${expected.join(' or ')}. Nothing was saved. Read it again and repeat your change.`,
  )
}
