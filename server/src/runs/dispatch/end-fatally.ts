import type { RunState } from '../execute/run-state.ts'
import type { RunRecorder } from '../record/recorder.ts'
import type { RunClaim } from '../run.ts'

/** Ends a run that cannot do its work. False when another worker owns it now. */
export async function endFatally(
  recorder: Pick<RunRecorder, 'end'>,
  claim: RunClaim,
  state: RunState,
  why: { lastBlockId: string | null; lastBlockTitle: string | null; message: string },
): Promise<boolean> {
  const { lastBlockId, lastBlockTitle, message } = why
  const ended = await recorder.end({
    claim,
    scope: { organizationId: state.workflow.organizationId, accountId: state.run.accountId },
    workflowId: state.run.workflowId,
    runNumber: state.run.runNumber,
    progress: { pauseMs: state.pauseMs, lastBlockId, lastBlockTitle },
    end: { status: 'Error', errorMessage: message, isExpiredByTime: false },
    work: state.work,
    mayWait: state.workflow.mayWait,
    onSuccess: { movesDateLastRun: false, deferred: { vault: {}, vaultGlobal: {} } },
  })
  return ended !== undefined
}
