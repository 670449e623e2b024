// A block with `wait`: what its expressions say it waits for.
import { isEmail } from '@patchbay/contract'
import type { ApprovalRequest, Wait } from '../../engine/chain/flow-fields.ts'
import type { Json } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { ScriptFailure } from '../../sandbox/index.ts'
import type { Evaluated, Expression } from './expression.ts'

export type WaitPlan =
  | { kind: 'time'; dueAt: Date }
  | { kind: 'event'; dueAt: Date; names: readonly string[]; key: string | null }
  | ({ kind: 'approval'; dueAt: Date } & AskedApproval)

/** What people are asked. */
export type AskedApproval = {
  title: string
  message: string | null
  to: string[]
  countNeeded: number
  form: { shortName: string; displayName: string; type: string; required: boolean }[]
}

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
  const dueAt = new Date(now + (wait.timeoutHours ?? timeoutHoursDefault) * hourMs)
  if (wait.approval) {
    const asked = await planApproval(wait.approval, read)
    if ('failure' in asked) return { ok: false, failure: asked.failure }
    return 'wrong' in asked ? wrong(asked.wrong) : { ok: true, plan: { kind: 'approval', dueAt, ...asked } }
  }
  if (wait.events) {
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

const titleCharactersMax = 200
const messageCharactersMax = 10_000
const recipientsMax = 20

async function planApproval(
  { title, message, to, count = 1, form = [] }: ApprovalRequest,
  read: (source: string) => Promise<Evaluated>,
): Promise<AskedApproval | { wrong: string } | { failure: ScriptFailure }> {
  const told = await read(title)
  if (!told.ok) return told
  // It is the subject of a mail as well.
  const line = textOf(told.value)?.replaceAll(/\s+/g, ' ').trim()
  if (!line || line.length > titleCharactersMax)
    return { wrong: `its title must be a text of 1 to ${titleCharactersMax} characters.` }
  const further: Evaluated = message === undefined ? { ok: true, value: null } : await read(message)
  if (!further.ok) return further
  const text = further.value === null ? '' : textOf(further.value)
  if (text === undefined || text.length > messageCharactersMax)
    return { wrong: `its message must be a text of at most ${messageCharactersMax} characters.` }
  const named: Evaluated = typeof to === 'string' ? await read(to) : { ok: true, value: to }
  if (!named.ok) return named
  const addresses = Array.isArray(named.value) ? named.value : [named.value]
  const known = new Map<string, string>()
  for (const one of addresses)
    if (typeof one === 'string' && isEmail(one)) known.set(one.toLowerCase(), known.get(one.toLowerCase()) ?? one)
    else return { wrong: `to must give 1 to ${recipientsMax} e-mail addresses.` }
  if (known.size === 0 || known.size > recipientsMax)
    return { wrong: `to must give 1 to ${recipientsMax} e-mail addresses.` }
  return { title: line, message: text.trim() === '' ? null : text, to: [...known.values()], countNeeded: count, form }
}

/** Undefined for what is no text. */
function textOf(value: Json | JsonText): string | undefined {
  const plain = value instanceof JsonText ? (JSON.parse(value.text) as Json) : value
  return typeof plain === 'number' ? String(plain) : typeof plain === 'string' ? plain : undefined
}

function afterSeconds(value: Json | JsonText, now: number): number {
  return typeof value === 'number' ? now + Math.max(0, value) * 1000 : Number.NaN
}

function dateMs(value: Json | JsonText): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
