import type { ScriptCheck } from '../judge/outcome.ts'
import type { GuestProcess } from '../process/guest-process.ts'

const CHECK_MS_MAX = 5000

/** Has a script parsed in a process that no other script has at that time. */
export async function checkJob(guest: GuestProcess, source: string): Promise<ScriptCheck> {
  const number = guest.nextJob()
  const over = Promise.withResolvers<ScriptCheck>()
  const timer = setTimeout(() => guest.kill(), CHECK_MS_MAX)
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
    exit: () => over.resolve({ ok: false, message: 'The script is too complex to compile.', line: 1, column: 1 }),
  })
  guest.send({ type: 'check', job: number, source })
  const check = await over.promise
  clearTimeout(timer)
  return check
}
