import { type Principal, scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { workflowExists } from '../workflows/index.ts'
import type { Expectation } from './expectation.ts'
import { listExpectations } from './store.ts'

export async function getExpectations(deps: { database: Database }, principal: Principal, workflowId: string) {
  const db = deps.database.forScope(scopeOf(principal))
  if (!(await workflowExists(db, scopeOf(principal), workflowId))) throw notFound('workflow')
  const expectations = await listExpectations(db, principal.account.id, workflowId)
  return { expectations: expectations.map(toGiven) }
}

function toGiven({ kind, uniqueBlockId, hours, min, max }: Expectation) {
  return {
    kind,
    ...(hours === null ? {} : { hours }),
    ...(uniqueBlockId === null ? {} : { uniqueBlockId }),
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
  }
}
