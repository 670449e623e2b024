import { type Principal, reachOf, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { notFound } from '../lib/app-error.ts'
import { workflowExists } from '../workflows/index.ts'
import type { Expectation } from './expectation.ts'
import { type SetDeps, setExpectations } from './set-expectations.ts'
import { listAlarmPage, listExpectations, updateAlarm } from './store.ts'

type Names = 'Expectations' | 'ExpectationsUpdate' | 'Alarms' | 'AlarmAction'

export function alarmRoutes(deps: SetDeps): HandlersOf<Names> {
  return {
    Expectations: ({ principal, params }) => getExpectations(deps, principal, params.workflowId),
    ExpectationsUpdate: ({ principal, params, body }) =>
      setExpectations(deps, principal, params.workflowId, body.expectations),
    Alarms: ({ principal, body }) =>
      listAlarmPage(deps.database.system, reachOf(principal, body.acrossAccounts), {
        page: body.page ?? 0,
        size: body.size ?? 50,
        isOpen: body.isOpen,
      }),
    AlarmAction: async ({ principal, params, body }) => {
      await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
        const alarm = await updateAlarm(tx, principal.account.id, params.id, body.action)
        if (!alarm) throw notFound('alarm')
        const action = body.action === 'dismiss' ? 'alarm.dismissed' : 'alarm.acknowledged'
        await recordAudit(tx, actorOf(principal), { action, target: params.id, details: alarm })
      })
      return undefined
    },
  }
}

async function getExpectations(deps: SetDeps, principal: Principal, workflowId: string) {
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
