import type { HandlersOf } from '../http/index.ts'
import { getErrorWorkflow, setErrorWorkflow } from './after-error/error-workflow.ts'
import { actOnApproval, listApprovals } from './approve/approvals.ts'
import { type RunAndWaitDeps, runAndWait } from './await/run-and-wait.ts'
import { getBlockItem, getBlockItems } from './history/get-block-items.ts'
import { getRunHistory, type HistoryDeps } from './history/history.ts'
import { getCalls, getResult, getSession, getUserLog } from './history/item-records.ts'
import { dismissItems } from './ledger/dismiss-items.ts'
import { listFailedItems } from './ledger/failed-items.ts'
import { type ResumeDeps, resumeWorkflow } from './pause/resume.ts'
import { retryRun } from './start/retry.ts'
import { retryItems } from './start/retry-items.ts'
import { type StartDeps, startRun } from './start/start.ts'
import type { StartedRun } from './start/starter.ts'
import { type StopDeps, stopRun } from './start/stop.ts'
import { type TestBlockDeps, testBlock } from './test-block/test-block.ts'
import { sendEvent } from './wake/send-event.ts'

type Names =
  | 'RunWorkflow'
  | 'RunAndWait'
  | 'SendEvent'
  | 'Approvals'
  | 'ApprovalAction'
  | 'StopWorkflowRun'
  | 'RetryRun'
  | 'ResumeWorkflow'
  | 'ErrorWorkflow'
  | 'ErrorWorkflowUpdate'
  | 'GetRunHistory'
  | 'GetBlockResult'
  | 'GetBlockUserLog'
  | 'GetBlockSession'
  | 'GetBlockCalls'
  | 'GetBlockItems'
  | 'GetBlockItem'
  | 'FailedItems'
  | 'DismissItems'
  | 'RetryItems'
  | 'TestBlock'

export type RunDeps = StartDeps & StopDeps & HistoryDeps & TestBlockDeps & ResumeDeps & RunAndWaitDeps

export function runRoutes(deps: RunDeps): HandlersOf<Names> {
  return {
    RunWorkflow: async ({ principal, body, exchange }) => announce(await startRun(deps, principal, body), exchange),
    RunAndWait: ({ principal, params, body, exchange }) =>
      runAndWait(deps, principal, { workflowId: params.workflowId, body, exchange }),
    SendEvent: async ({ principal, body }) => {
      deps.ledger.requireRoom(principal.account.id)
      return { wokenRuns: await sendEvent(deps, principal.account.id, body) }
    },
    Approvals: ({ principal, body }) => listApprovals(deps, principal, body),
    ApprovalAction: ({ principal, params, body }) => actOnApproval(deps, principal, params.id, body),
    StopWorkflowRun: ({ principal, params, query }) => stopRun(deps, principal, params.workflowId, query.runNumber),
    RetryRun: async ({ principal, params, query, exchange }) => {
      const retry = await retryRun(deps, principal, params.workflowId, query.runNumber)
      exchange.setHeader('X-Run-Number', String(retry.runNumber))
      return retry.sentence
    },
    ResumeWorkflow: ({ principal, params }) => resumeWorkflow(deps, principal, params.id),
    ErrorWorkflow: ({ principal, query }) => getErrorWorkflow(deps, principal, query.scope),
    ErrorWorkflowUpdate: ({ principal, body }) => setErrorWorkflow(deps, principal, body),
    GetRunHistory: ({ principal, params, body }) => getRunHistory(deps, principal, params.workflowId, body),
    GetBlockItems: ({ principal, params, body }) => getBlockItems(deps, principal, params.workflowId, body),
    GetBlockItem: ({ principal, params, query }) => getBlockItem(deps, principal, params.workflowId, query),
    FailedItems: ({ principal, body }) => listFailedItems(deps, principal, body),
    DismissItems: ({ principal, body }) => dismissItems(deps, principal, body),
    RetryItems: async ({ principal, params, body, exchange }) => {
      const retry = await retryItems(deps, principal, params.workflowId, body)
      exchange.setHeader('X-Run-Number', String(retry.runNumber))
      return retry.sentence
    },
    GetBlockResult: ({ principal, params, query }) => getResult(deps, principal, params.workflowId, query),
    GetBlockUserLog: ({ principal, params, query }) => getUserLog(deps, principal, params.workflowId, query),
    GetBlockSession: ({ principal, params, query }) => getSession(deps, principal, params.workflowId, query),
    GetBlockCalls: ({ principal, params, query }) => getCalls(deps, principal, params.workflowId, query),
    TestBlock: ({ principal, body }) => testBlock(deps, principal, body),
  }
}

function announce(run: StartedRun, exchange: { setHeader(name: string, value: string): void }): string {
  exchange.setHeader('X-Run-Number', String(run.runNumber))
  return `Run ${run.runNumber} of the workflow "${run.workflowName}" has started.`
}
