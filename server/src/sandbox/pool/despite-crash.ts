// A script process that ends unexpectedly says nothing about the script: once may be bad luck.
import { AppError } from '../../lib/app-error.ts'
import { TOO_COMPLEX } from '../job/check-job.ts'
import type { ScriptJob } from '../job/job.ts'
import { explainExit } from '../judge/judge-end.ts'
import type { ScriptCheck, ScriptOutcome } from '../judge/outcome.ts'
import type { GuestExit } from '../process/guest-jobs.ts'

/** A script that has called nothing yet is begun once more. What the first try wrote stays in the log. */
export async function runDespiteCrash(
  job: ScriptJob,
  run: (job: ScriptJob) => Promise<ScriptOutcome>,
): Promise<ScriptOutcome> {
  let hasCalled = false
  const onCall: ScriptJob['onCall'] = (call, context) => {
    hasCalled = true
    return job.onCall(call, context)
  }
  const outcome = await run({ ...job, onCall })
  if (outcome.kind !== 'crashed' || hasCalled) return outcome
  const second = await run(job)
  return { ...second, log: [...outcome.log, ...second.log] }
}

export async function checkDespiteCrash(check: () => Promise<ScriptCheck | GuestExit>): Promise<ScriptCheck> {
  const first = await check()
  if ('ok' in first) return first
  const second = await check()
  if ('ok' in second) return second
  // Twice at the same text, not by a kill and not while an isolate was being made: it is the text.
  if (second.signal !== 'SIGKILL' && !second.wasMakingIsolate)
    return { ok: false, message: TOO_COMPLEX, line: 1, column: 1 }
  throw new AppError('not_ready', `${explainExit(second)} Try again in a moment.`)
}
