// One block without items: its script, and the tries that a fault of the service or the script itself asks for.
import { isTransient } from '../../db/index.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import { BlockCalls } from './block-calls.ts'
import { BlockClock } from './block-clock.ts'
import { type BlockScript, runBlockScript } from './block-script.ts'
import type { Execution, Ran } from './hold.ts'
import { failure, outagePatienceMs, outageWaitMs, waitFor } from './outage.ts'

const blockTriesMax = 3
/** A script asks to be tried again, later, by throwing an error of this name. */
const retryErrorName = 'RetryError'
const askedRetriesMax = 5

export async function runBlock(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, hold, state } = execution
  const { signal, stopSignal } = hold
  const before = state.session
  const clock = new BlockClock()
  const given = toScript(execution, blockId, clock)
  const ranTo = (outcome: ScriptOutcome): Ran => {
    const whole = { ...outcome, pauseMs: Math.max(outcome.pauseMs, clock.pauseMs) }
    return {
      blockId,
      startedAt: clock.startedAt,
      outcome: whole,
      before,
      calls: given.calls,
      answer: given.answer.first,
    }
  }
  const earlier = { log: [] as string[], pauseMs: 0 }
  const logSoFar = () => [...earlier.log, ...given.cutOff]
  const patientUntil = performance.now() + outagePatienceMs
  let asked = 0
  for (let tries = 1; ; tries++) {
    try {
      if (tries === 1) await hold.blocks?.mayBegin(blockId)
      const outcome = await runBlockScript(deps, { ...given, usedMs: clock.usedMs })
      clock.end(outcome.pauseMs)
      // Something ended the script process from outside, for want of memory for example. Once may be bad luck, as long as nothing was done.
      if (outcome.kind === 'crashed' && tries === 1 && !given.calls.hasCalled) {
        given.cutOff = outcome.log
        given.tape = hold.tape?.startBlock(blockId)
        continue
      }
      const whole = { ...outcome, log: [...logSoFar(), ...outcome.log], pauseMs: earlier.pauseMs + outcome.pauseMs }
      given.cutOff = []
      const asksAgain = outcome.kind === 'threw' && outcome.name === retryErrorName && asked < askedRetriesMax
      if (!asksAgain) return ranTo(whole)
      const waitMs = (deps.retryDelayMs ?? retryDelayMs)(++asked)
      Object.assign(earlier, { log: whole.log, pauseMs: whole.pauseMs + waitMs })
      hold.onSleep(waitMs)
      await waitFor(waitMs, signal, stopSignal, ...(hold.leaveSignal ? [hold.leaveSignal] : []))
      if (stopSignal.aborted) return ranTo(whole)
      if (hold.leaveSignal?.aborted) return ranTo(failure('aborted', 'The script was stopped.', logSoFar()))
    } catch (error) {
      clock.forgetTry()
      if (signal.aborted) return ranTo(failure('aborted', 'The script was stopped.', logSoFar()))
      const { accountId, workflowId, runNumber } = state.run
      deps.onFault(error, { accountId, workflowId, runId: state.run.id, runNumber })
      given.tape = hold.tape?.startBlock(blockId)
      if (isTransient(error) && performance.now() < patientUntil) {
        tries = 0
        await waitFor(outageWaitMs, signal)
        continue
      }
      // What a block has done once it does not do again because the service has a fault.
      if (tries >= blockTriesMax || given.calls.hasCalled)
        return ranTo(failure('crashed', 'The service failed while this block ran.', logSoFar()))
    }
  }
}

type GivenScript = BlockScript & {
  /** What the last try had written before it was cut off. */
  cutOff: readonly string[]
}

function toScript({ hold, state, webhook }: Execution, blockId: string, clock: BlockClock): GivenScript {
  const given: GivenScript = {
    state,
    block: state.workflow.blocks.get(blockId)!,
    webhook,
    claim: hold.claim,
    // Those of a try that failed were made as well.
    calls: new BlockCalls(
      hold.claim.attempt + 1,
      state.workflow.recordCallBodies,
      state.tried.get(blockId)?.calls ?? null,
    ),
    tape: hold.tape?.startBlock(blockId),
    signal: hold.signal,
    stopSignal: hold.stopSignal,
    leaveSignal: hold.leaveSignal,
    onSleep: hold.onSleep,
    onBegin: () => {
      clock.begin()
      hold.blocks?.begin(blockId)
    },
    onCutOff: (log) => {
      given.cutOff = log
    },
    answer: {},
    goesFirst: hold.goesFirst ?? false,
    usedMs: 0,
    cutOff: [],
  }
  return given
}

/** 1, 2, 4, 8 and 16 seconds: no worker and no process is held meanwhile. */
function retryDelayMs(asked: number): number {
  return 1000 * 2 ** (asked - 1)
}
