import { readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { type Database, readOneMoment } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { findSettings } from '../settings/store.ts'
import { countRefusals, listRefusalHours, listRefusals } from './refusal-store.ts'

const hoursMax = 200

export async function getRefusals(
  { database }: { database: Database },
  principal: Principal,
  workflowId: string,
  given: { page?: number; size?: number },
) {
  const scope = scopeOf(principal)
  const { accountId } = scope
  const db = database.forScope(scope)
  if (!(await findSettings(db, accountId, workflowId))) throw notFound('workflow')
  const [refusals, hours, total] = await readOneMoment(db, (moment) =>
    Promise.all([
      listRefusals(moment, accountId, workflowId, readPage(given)),
      listRefusalHours(moment, accountId, workflowId, hoursMax),
      countRefusals(moment, accountId, workflowId),
    ]),
  )
  return {
    items: refusals.map(({ at, statusCode, reason, ipAddress, headerNames }) => ({
      dateTimeUTC: at.toISOString(),
      statusCode,
      reason,
      ipAddress,
      headerNames: [...headerNames],
    })),
    hours: hours.map(({ hour, statusCode, reason, refusals: count }) => ({
      startDateTimeUTC: hour.toISOString(),
      statusCode,
      reason,
      count,
    })),
    total,
  }
}
