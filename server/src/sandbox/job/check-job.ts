import { isOfScript } from '../judge/judge-end.ts'
import type { ScriptCheck } from '../judge/outcome.ts'
import type { GuestExit } from '../process/guest-jobs.ts'
import type { GuestProcess } from '../process/guest-process.ts'

const CHECK_MS_MAX = 5000
export const TOO_COMPLEX = 'The script is too complex to compile.'

/** Has a script parsed in a process that no other script has at that time. When that process ends unexpectedly, its exit is the answer. */
export async function checkJob(guest: GuestProcess, source: string): Promise<ScriptCheck | GuestExit> {
  const number = guest.nextJob()
  const over = Promise.withResolvers<ScriptCheck | GuestExit>()
  const tooComplex = { ok: false, message: TOO_COMPLEX, line: 1, column: 1 } as const
  const timer = setTimeout(() => {
    over.resolve(tooComplex)
    guest.kill()
  }, CHECK_MS_MAX)
  guest.listen(number, {
    // Nobody takes back what would be sent behind this.
    begin: () => guest.recallQueuedJobs(),
    message: (message) => {
      if (message.type !== 'done' || message.job !== number)
        throw new TypeError('A script process spoke about another job.')
      const { end } = message
      if (end.kind === 'valid') over.resolve({ ok: true })
      else if (end.kind === 'invalid')
        over.resolve({ ok: false, message: end.message, line: end.line, column: end.column })
      else throw new TypeError('A script process answered something else than it was asked.')
    },
    exit: (exit) => over.resolve(isOfScript(exit) ? tooComplex : exit),
  })
  guest.send({ type: 'check', job: number, source })
  const check = await over.promise
  clearTimeout(timer)
  return check
}
