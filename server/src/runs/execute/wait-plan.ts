// A block with `wait`: what its expressions say it waits for.
import type { Wait } from '../../engine/chain/flow-fields.ts'
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { ScriptFailure } from '../../sandbox/index.ts'
import type { Evaluated, Expression } from './expression.ts'

export type WaitPlan =
  | { kind: 'time'; dueAt: Date }
  | { kind: 'event'; dueAt: Date; names: readonly string[]; key: string | null }

export type Evaluate = (expression: Expression) => Promise<Evaluated>

type Planned = { ok: true; plan: WaitPlan } | { ok: false; failure: ScriptFailure }

const daysMax = 366
const timeoutHoursDefault = 168
const hourMs = 3_600_000
const keyCharactersMax = 200

/** `blockName`: for the sentence that tells of a mistake. */
export async function planWait(wait: Wait, blockName: string, prepared: Json, evaluate: Evaluate): Promise<Planned> {
  const read = async (source: string): Promise<Evaluated> =>
    evaluate({ what: 'The wait', source, extras: { prepared } })
  const wrong = (why: string): Planned => {
    const message = `The wait of block "${blockName}" failed: ${why}`
    return { ok: false, failure: { kind: 'threw', name: 'Error', message, log: [], pauseMs: 0 } }
  }
  const now = Date.now()
  if (wait.events) {
    const dueAt = new Date(now + (wait.timeoutHours ?? timeoutHoursDefault) * hourMs)
    if (wait.key === undefined) return { ok: true, plan: { kind: 'event', dueAt, names: wait.events, key: null } }
    const found = await read(wait.key)
    if (!found.ok) return found
    const key = typeof found.value === 'number' ? String(found.value) : found.value
    if (typeof key !== 'string' || key === '' || key.length > keyCharactersMax)
      return wrong(`its key must be a text of 1 to ${keyCharactersMax} characters or a number.`)
    return { ok: true, plan: { kind: 'event', dueAt, names: wait.events, key } }
  }
  const source = wait.until ?? wait.seconds
  const found: Evaluated = typeof source === 'string' ? await read(source) : { ok: true, value: source ?? 0 }
  if (!found.ok) return found
  const dueMs = wait.until === undefined ? afterSeconds(found.value, now) : dateMs(found.value)
  if (Number.isNaN(dueMs))
    return wrong(wait.until === undefined ? 'seconds must be a number.' : 'until must be a date.')
  if (dueMs > now + daysMax * 24 * hourMs) return wrong(`it is more than ${daysMax} days ahead.`)
  return { ok: true, plan: { kind: 'time', dueAt: new Date(Math.max(dueMs, now)) } }
}

function afterSeconds(value: Json | JsonText, now: number): number {
  return typeof value === 'number' ? now + Math.max(0, value) * 1000 : Number.NaN
}

function dateMs(value: Json | JsonText): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
