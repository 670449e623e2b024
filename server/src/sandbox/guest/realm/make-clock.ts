import type { RealmCalls } from './make-calls.ts'
import type { Builtins } from './take-builtins.ts'

export type RealmClock = {
  /** From now on `Date` goes on from this moment. For a realm with a single script: nothing puts the real one back. */
  set(startMs: number): void
  /** With a clock of its own a script does not wait when it sleeps: its clock moves on instead. */
  follow(request: RealmCalls['request']): RealmCalls['request']
}

/** A clock that can be set, for scripts that are run again. Its text is compiled inside the isolate. */
export function makeClock({ realm, apply, assign, defineProperty, expose, then }: Builtins): RealmClock {
  const RealDate = Date
  const { construct } = Reflect
  const { now } = RealDate
  const { prototype } = RealDate
  const writeDate = prototype.toString
  let isSet = false
  let offsetMs = 0

  const clockNow = (): number => now() + offsetMs
  return {
    set: (startMs) => {
      offsetMs = startMs - now()
      isSet = true
      // An arrow function cannot be called with `new`.
      const ClockDate = function (...given: unknown[]): unknown {
        if (new.target === undefined) return apply(writeDate, new RealDate(clockNow()), [])
        return construct(RealDate, given.length === 0 ? [clockNow()] : given, new.target)
      }
      assign(ClockDate, { prototype })
      defineProperty(ClockDate, 'name', { value: 'Date' })
      expose(ClockDate, 'now', clockNow)
      expose(ClockDate, 'parse', RealDate.parse)
      expose(ClockDate, 'UTC', RealDate.UTC)
      expose(prototype, 'constructor', ClockDate)
      expose(realm, 'Date', ClockDate)
    },
    follow: (request) => (name, values, isSleep) => {
      const asked = request(name, values, isSleep)
      if (!isSet || !isSleep) return asked
      const due = clockNow() + (values[0] as number)
      const arrive = (value: unknown): unknown => {
        const late = due - clockNow()
        if (late > 0) offsetMs += late
        return value
      }
      return apply(then, asked, [arrive])
    },
  }
}
