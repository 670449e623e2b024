// One block of a run.

import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { LinkButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { counted } from '../ui/counted.ts'
import { JsonTree } from '../ui/json-tree.tsx'
import { LogView } from '../ui/log-view.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { useBlockInput } from './block-input.ts'
import { CallList } from './call-list.tsx'
import { ItemsView } from './items-view.tsx'
import { resultQuery } from './prefetch-run.ts'
import { isUnderWay, StatusChip } from './run-status.tsx'

const CodeEditor = lazy(() => import('../ui/code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

type WorkflowOfRun = Answer<'Workflow'>
type Block = WorkflowOfRun['chain'][number]
type ViewProps = { workflow: WorkflowOfRun; run: NonNullable<WorkflowOfRun['run']>; block: Block }

const views = [
  { id: 'result', label: 'Result' },
  { id: 'input', label: 'Input' },
  { id: 'log', label: 'Log' },
  { id: 'calls', label: 'Calls' },
  { id: 'session', label: 'Session' },
  { id: 'script', label: 'Script' },
] as const

type DetailProps = ViewProps & { view: string | undefined; onView: (view: string) => void }

export function BlockDetail({ view: asked, onView, ...props }: DetailProps) {
  const { workflow, run, block } = props
  const hasItems = block.forEach !== null
  const shown = hasItems ? [{ id: 'items', label: 'Items' }, ...views] : views
  const view = asked ?? (hasItems ? 'items' : 'result')
  return (
    <Panel>
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="max-w-full min-w-0 truncate font-semibold">{block.blockName}</h2>
        {block.status && <StatusChip status={block.status} />}
        <div className="flex min-w-0 items-center gap-1 max-sm:order-last max-sm:w-full max-sm:overflow-x-auto sm:ml-auto">
          {shown.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              aria-pressed={view === id}
              onClick={() => onView(id)}
              className={classNames(
                'h-7 shrink-0 rounded-md px-2 text-table font-medium -outline-offset-2',
                view === id ? 'bg-raised text-text' : 'text-muted hover:text-text',
              )}
            >
              {label}
            </button>
          ))}
        </div>
        <span className="max-sm:ml-auto">
          <LinkButton
            size="small"
            icon={Pencil}
            to="/workflows/$id"
            params={{ id: workflow.id }}
            search={{ tab: 'blocks', block: block.uniqueBlockId }}
          >
            Edit block
          </LinkButton>
        </span>
      </div>
      <div className="max-h-[60dvh] min-h-40 overflow-auto p-4">
        {view === 'items' && hasItems ? (
          <ItemsView
            workflowId={workflow.id}
            runNumber={run.lockVersionNumber}
            uniqueBlockId={block.uniqueBlockId}
            isLive={isUnderWay(run.status)}
          />
        ) : view === 'input' ? (
          <InputView {...props} />
        ) : view === 'log' ? (
          <LogPart {...props} />
        ) : view === 'calls' ? (
          <CallsView {...props} />
        ) : view === 'session' ? (
          <SessionView {...props} />
        ) : view === 'script' ? (
          <ScriptView {...props} />
        ) : (
          <ResultView {...props} />
        )}
      </div>
    </Panel>
  )
}

const partsOf = ({ workflow, run, block }: ViewProps) => ({
  params: { workflowId: workflow.id },
  query: { uniqueBlockId: block.uniqueBlockId, runNumber: run.lockVersionNumber },
})

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-table text-muted">{children}</p>
}

/** A block that has not run yet has no result: the service says 404, and it is asked again when the run goes on. */
function pending(query: { error: Error | null; isLoading: boolean }): ReactNode {
  if (query.isLoading) return <SkeletonLines count={4} />
  return <Nothing>{query.error ? sentenceOf(query.error) : 'The block has not run.'}</Nothing>
}

function ResultView(props: ViewProps) {
  const hasRun = props.block.endDateTimeUTC !== null && props.block.endDateTimeUTC !== undefined
  const { workflow, run, block } = props
  const result = useQuery({ ...resultQuery(workflow.id, run.lockVersionNumber, block.uniqueBlockId), enabled: hasRun })
  if (!result.data) return pending(result)
  if (!result.data.success) {
    return (
      <p className="font-mono text-label whitespace-pre-wrap text-red [overflow-wrap:anywhere]">
        {String(result.data.result)}
      </p>
    )
  }
  return <JsonTree value={result.data.result} label="result" />
}

function InputView({ workflow, run, block }: ViewProps) {
  const input = useBlockInput(workflow.id, run.lockVersionNumber, block.dataSources)
  if (block.dataSources.length === 0) return <Nothing>This block reads from no other block.</Nothing>
  if (input.isLoading) return <SkeletonLines count={4} />
  const nameOf = (id: string) => workflow.chain.find(({ uniqueBlockId }) => uniqueBlockId === id)?.blockName ?? id
  return (
    <div className="flex flex-col gap-3">
      {block.dataSources.map((source, index) => (
        <div key={source} className="min-w-0">
          <p className="text-label font-medium text-text">{nameOf(source)}</p>
          <JsonTree value={input.values[index]} label={`input from ${nameOf(source)}`} />
        </div>
      ))}
    </div>
  )
}

function LogPart(props: ViewProps) {
  const log = useOperation('GetBlockUserLog', partsOf(props))
  return log.data ? <LogView lines={log.data.result} label="Log" maxHeight="52dvh" /> : pending(log)
}

function CallsView(props: ViewProps) {
  const calls = useOperation('GetBlockCalls', partsOf(props))
  if (!calls.data) return pending(calls)
  if (calls.data.result.length === 0) return <Nothing>The block called no application.</Nothing>
  return (
    <>
      <CallList
        calls={calls.data.result.map((call) => ({
          ...call,
          status: call.outcome,
          durationMs: call.durationInMilliSec,
        }))}
      />
      {calls.data.omitted > 0 && (
        <Nothing>{counted(calls.data.omitted, 'more call was', 'more calls were')} not kept.</Nothing>
      )}
    </>
  )
}

function SessionView(props: ViewProps) {
  const session = useOperation('GetBlockSession', partsOf(props))
  if (!session.data) return pending(session)
  return <JsonTree value={session.data.result} label="session" />
}

/** As it was at this run, not as it is now. */
function ScriptView({ block }: ViewProps) {
  return (
    <Suspense fallback={<SkeletonLines count={6} />}>
      <CodeEditor label="Script of this run" language="javascript" value={block.script} isReadOnly />
    </Suspense>
  )
}
