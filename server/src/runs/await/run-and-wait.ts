// RunAndWait: a run is started, and whoever asked for it is answered when it has ended, or when the time is over.
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Exchange } from '../../http/index.ts'
import { newId } from '../../lib/id.ts'
import { type JsonText, textObject } from '../../lib/json-text.ts'
import type { StorageLedger } from '../../storage/index.ts'
import { inputOf } from '../start/start.ts'
import type { RunStarter } from '../start/starter.ts'
import type { AwaitedRun, EndWatch } from './end-watch.ts'
import { type AwaitedState, findAwaited, type ResultDeps, readResult } from './run-result.ts'

export type RunAndWaitDeps = ResultDeps & {
  starter: RunStarter
  ledger: Pick<StorageLedger, 'requireRoom'>
  ends: EndWatch
}

type Asked = {
  workflowId: string
  body: { input?: unknown; waitSeconds?: number }
  exchange: Pick<Exchange, 'setHeader' | 'setStatus' | 'onClose'>
}

const secondsDefault = 25

export async function runAndWait(deps: RunAndWaitDeps, principal: Principal, asked: Asked): Promise<JsonText> {
  const scope = scopeOf(principal)
  deps.ledger.requireRoom(scope.accountId)
  const { waitSeconds = secondsDefault } = asked.body
  const input = inputOf(asked.body.input)
  const id = newId()
  using waiting = await deps.ends.expect(id, scope)
  asked.exchange.onClose(() => waiting.close())
  const { runNumber } = await deps.starter.start({
    id,
    accountId: scope.accountId,
    workflowId: asked.workflowId,
    runBy: principal.credential.kind === 'session' ? 'Manual' : 'API',
    startedBy: principal.caller.id,
    isAwaited: true,
    ...input,
  })
  asked.exchange.setHeader('X-Run-Number', String(runNumber))
  const run = await untilEnded(deps, id, waiting, performance.now() + waitSeconds * 1000)
  if (!run) return textObject({ runNumber, status: 'Stopped', result: null, errorMessage: null })
  if (run.hasEnded) {
    const { status, errorMessage } = run
    return textObject({ runNumber, status, result: await readResult(deps, id, run), errorMessage })
  }
  asked.exchange.setStatus(202)
  return textObject({
    runNumber,
    status: run.status === 'Waiting' ? 'Waiting' : 'Processing',
    result: null,
    errorMessage: null,
  })
}

/** The run when it has ended, or as it is at the deadline; undefined when it is gone. */
async function untilEnded(
  deps: ResultDeps,
  runId: string,
  waiting: AwaitedRun,
  deadline: number,
): Promise<AwaitedState | undefined> {
  for (;;) {
    await waiting.next(deadline - performance.now())
    const run = await findAwaited(deps, runId)
    if (!run || run.hasEnded || !waiting.isOpen || performance.now() >= deadline) return run
  }
}
