import { readPage } from '@patchbay/contract'
import { reachOf } from '../access/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { actOnAlarm } from './act-on-alarm.ts'
import { getExpectations } from './get-expectations.ts'
import { type SetDeps, setExpectations } from './set-expectations.ts'
import { listAlarmPage } from './store.ts'

type Names = 'Expectations' | 'ExpectationsUpdate' | 'Alarms' | 'AlarmAction'

export function alarmRoutes(deps: SetDeps): HandlersOf<Names> {
  return {
    Expectations: ({ principal, params }) => getExpectations(deps, principal, params.workflowId),
    ExpectationsUpdate: ({ principal, params, body }) =>
      setExpectations(deps, principal, params.workflowId, body.expectations),
    Alarms: ({ principal, body }) =>
      listAlarmPage(deps.database.system, reachOf(principal, body.acrossAccounts), {
        ...readPage(body),
        isOpen: body.isOpen,
      }),
    AlarmAction: ({ principal, params, body }) => actOnAlarm(deps, principal, params.id, body.action),
  }
}
