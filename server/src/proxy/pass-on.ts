// A request as a call of an application, and the application's answer as ours.
import { type Principal, scopeOf } from '../access/index.ts'
import { type Exchange, PlainText } from '../http/index.ts'
import type { Json } from '../lib/json.ts'
import { JsonText } from '../lib/json-text.ts'
import type { ApplicationAnswer, ApplicationCall, ApplicationCalls } from './application-call.ts'
import { chosenBy } from './chosen-instance.ts'

type Request = { principal: Principal; exchange: Exchange }

/** A large answer counts as one of the target until it is one of ours. */
export async function passOn<Result>(
  calls: ApplicationCalls,
  { principal, exchange }: Request,
  call: ApplicationCall,
  toAnswer: (answer: ApplicationAnswer) => Result,
): Promise<Result> {
  const releases: (() => void)[] = []
  try {
    const chosen = { ...addChoice(call, exchange), onHeld: (release: () => void) => releases.push(release) }
    return toAnswer(await calls.call(scopeOf(principal), chosen))
  } finally {
    for (const release of releases) release()
  }
}

/** Text goes out as it came; quotation marks around it would make it JSON, which the target did not send. */
export function bodyOf({ data, isText }: ApplicationAnswer): Json | JsonText | PlainText {
  if (!isText) return data
  return new PlainText(String(data instanceof JsonText ? data.toJSON() : data))
}

export function dataOf(given: unknown): Pick<ApplicationCall, 'data' | 'dataText'> {
  return given instanceof JsonText ? { dataText: given } : { data: given as Json }
}

/** What the headers of a request say about the call; keys of reading calls are not used. */
function addChoice(call: ApplicationCall, exchange: Exchange): ApplicationCall {
  const { regApplicationId } = chosenBy(exchange)
  if (regApplicationId !== undefined) call.regApplicationId = regApplicationId
  const idempotencyKey = exchange.header('idempotency-key')
  if (idempotencyKey !== undefined) call.idempotencyKey = idempotencyKey
  return call
}
