import type { CallTexts } from './make-call-texts.ts'
import type { Builtins, Host } from './take-builtins.ts'

/**
 * Calls of the script to the service. Its text is compiled inside the isolate.
 *
 *     request ──▶ waiting (a linked list) ── fewer than allowed are under way ──▶ under way ── settle ──▶ resolved or rejected
 */

type Waiting = {
  call: number
  text: string
  isSleep: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
  next: Waiting | null
}

export type RealmCalls = {
  /** Blocks until the service has answered. */
  ask(name: string, values: unknown[]): unknown
  request(name: string, values: unknown[], isSleep: boolean): Promise<unknown>
  settle(call: number, ok: boolean, body: string): void
  /** Calls that the script did not wait for are still carried out before it counts as finished. */
  afterCalls(end: () => void): void
  /** What a script left under way is nobody's any more. */
  forgetAll(): void
}

export function makeCalls(
  { apply, assign, create, parse, slice, PromiseOfRealm }: Builtins,
  host: Host,
  { callText, errorFrom }: CallTexts,
  atOnce: { calls: number; sleeps: number },
): RealmCalls {
  let lastCall = 0
  let callsUnderWay = 0
  let sleepsUnderWay = 0
  let firstWaiting: Waiting | null = null
  let lastWaiting: Waiting | null = null
  let underWay = create(null) as { [call: number]: Waiting }
  let onSettled: (() => void) | null = null

  const sendWaiting = (): void => {
    while (firstWaiting !== null) {
      const waiting: Waiting = firstWaiting
      if (waiting.isSleep ? sleepsUnderWay >= atOnce.sleeps : callsUnderWay >= atOnce.calls) return
      firstWaiting = waiting.next
      if (firstWaiting === null) lastWaiting = null
      if (waiting.isSleep) sleepsUnderWay++
      else callsUnderWay++
      underWay[waiting.call] = waiting
      host.call(waiting.call, waiting.text)
    }
  }

  return {
    ask: (name, values) => {
      const answer = host.ask(callText(name, values))
      const body = apply(slice, answer, [1]) as string
      if (answer[0] !== '1') throw errorFrom(body)
      return parse(body)
    },
    request: (name, values, isSleep) =>
      new PromiseOfRealm((resolve, reject) => {
        const text = callText(name, values)
        const waiting = assign(create(null), {
          call: ++lastCall,
          text,
          isSleep,
          resolve,
          reject,
          next: null,
        }) as Waiting
        if (lastWaiting === null) firstWaiting = waiting
        else lastWaiting.next = waiting
        lastWaiting = waiting
        sendWaiting()
      }),
    settle: (call, ok, body) => {
      const waiting = underWay[call]
      if (!waiting) return
      delete underWay[call]
      if (waiting.isSleep) sleepsUnderWay--
      else callsUnderWay--
      sendWaiting()
      if (ok) waiting.resolve(parse(body))
      else waiting.reject(errorFrom(body))
      if (callsUnderWay === 0 && onSettled !== null) onSettled()
    },
    afterCalls: (end) => {
      if (callsUnderWay === 0) end()
      else
        onSettled = () => {
          onSettled = null
          end()
        }
    },
    forgetAll: () => {
      callsUnderWay = 0
      sleepsUnderWay = 0
      firstWaiting = null
      lastWaiting = null
      underWay = create(null) as { [call: number]: Waiting }
      onSettled = null
    },
  }
}
