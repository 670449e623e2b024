// Raising and clearing: the alarm, the state of its expectation, the event and the mail become final together, so each happens once.
import type { Tx } from '../db/index.ts'
import { type PublishEvents, titleOf } from '../events/index.ts'
import { newId } from '../lib/id.ts'
import type { Expectation } from './expectation.ts'
import { clearAlarm, insertAlarm, setMet } from './store.ts'

export type TellDeps = { publish: PublishEvents; baseUrl: () => string }

/** The row of the expectation is locked by the caller. */
export async function raiseAlarm(
  deps: TellDeps,
  tx: Tx,
  expectation: Expectation,
  { workflowName, message }: { workflowName: string; message: string },
): Promise<void> {
  const id = newId()
  await setMet(tx, expectation.id, false)
  await insertAlarm(tx, { id, expectation, message })
  await tell(deps, tx, expectation, { type: 'alarm.raised', alarmId: id, workflowName, message })
}

/** Nothing is told where the alarm was dismissed. */
export async function settleAlarm(
  deps: TellDeps,
  tx: Tx,
  expectation: Expectation,
  workflowName: string,
): Promise<void> {
  await setMet(tx, expectation.id, true)
  const cleared = await clearAlarm(tx, expectation.id)
  if (!cleared) return
  const { id: alarmId, message } = cleared
  await tell(deps, tx, expectation, { type: 'alarm.cleared', alarmId, workflowName, message })
}

async function tell(
  { publish, baseUrl }: TellDeps,
  tx: Tx,
  { accountId, workflowId }: Expectation,
  told: { type: 'alarm.raised' | 'alarm.cleared'; alarmId: string; workflowName: string; message: string },
): Promise<void> {
  const { type, alarmId, workflowName, message } = told
  const title = titleOf(workflowName)
  const isRaised = type === 'alarm.raised'
  const subject = isRaised ? `Alarm: "${title}"` : `Alarm cleared: "${title}"`
  const text = [
    isRaised ? message : `The workflow meets this expectation again. The alarm was: ${message}`,
    '',
    `Details: ${baseUrl()}/alarms`,
  ].join('\n')
  const data = { workflowId, workflowName, alarmId, errorMessage: isRaised ? message : null }
  await publish(tx, [{ accountId, type, data, mail: { subject, text } }])
}
