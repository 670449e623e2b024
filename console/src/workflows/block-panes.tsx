// Cause and effect of one block: what it was given, what it returned, what it wrote. Of the last test, or of the last run.
import { FlaskConical } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { useOperation } from '../api.ts'
import type { Block, WorkflowDetail } from '../definition/workflow-draft.ts'
import { CallList } from '../runs/call-list.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { LogView } from '../ui/log-view.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { durationText } from '../ui/time.tsx'
import type { TestOutcome } from './block-test.ts'

const CodeEditor = lazy(() => import('../ui/code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

type PanesProps = {
  workflow: WorkflowDetail
  block: Block
  input: { isLoading: boolean; values: unknown[] }
  /** Typed by hand; undefined while the last run's input is meant. */
  typedInput: string | undefined
  onTypedInput: (text: string | undefined) => void
  outcome: TestOutcome | undefined
  refusal: string | undefined
  isTesting: boolean
  callsApplications: boolean
  onCallsApplications: (calls: boolean) => void
  onTest: () => void
}

export function BlockPanes(props: PanesProps) {
  const { outcome, isTesting } = props
  return (
    <div className="flex min-h-0 flex-1 flex-col border-t border-line">
      <div className="flex h-10 shrink-0 items-center gap-3 border-b border-line bg-raised px-3">
        <Button
          tone="primary"
          size="small"
          icon={FlaskConical}
          isBusy={isTesting}
          onClick={props.onTest}
          title="Ctrl Enter"
        >
          Test block
        </Button>
        <Checkbox
          label="Call real applications"
          checked={props.callsApplications}
          onChange={(event) => props.onCallsApplications(event.target.checked)}
        />
        <span className="ml-auto truncate text-label text-muted" role="status">
          {isTesting
            ? 'Testing …'
            : outcome
              ? `Test took ${durationText(outcome.durationInMilliSec)}`
              : lastRunWords(props.workflow)}
        </span>
      </div>
      <div className="grid min-h-0 flex-1 grid-cols-[repeat(auto-fit,minmax(200px,1fr))] overflow-auto [&>*+*]:border-line max-sm:[&>*+*]:border-t sm:[&>*+*]:border-l">
        <InputPane {...props} />
        {outcome || props.refusal ? (
          <TestedPanes outcome={outcome} refusal={props.refusal} />
        ) : (
          <LastRunPanes {...props} />
        )}
      </div>
    </div>
  )
}

function lastRunWords(workflow: WorkflowDetail): string {
  return workflow.lastRunNumber === null ? 'This workflow has not run yet' : `Shown: run ${workflow.lastRunNumber}`
}

function Pane({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-h-32 min-w-0 flex-col">
      <h3 className="flex h-8 shrink-0 items-center gap-2 px-3 text-label font-medium text-muted">
        {title}
        {action && <span className="ml-auto">{action}</span>}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto px-3 pb-3 -outline-offset-2">
        {children}
      </div>
    </section>
  )
}

function InputPane({ block, input, typedInput, onTypedInput }: PanesProps) {
  const isTyped = typedInput !== undefined
  return (
    <Pane
      title="Input"
      action={
        <button
          type="button"
          onClick={() => onTypedInput(isTyped ? undefined : JSON.stringify(input.values, null, 2))}
          className="rounded-sm font-medium text-accent hover:underline"
        >
          {isTyped ? 'Use last run' : 'Edit'}
        </button>
      }
    >
      {isTyped ? (
        <div className="-mx-3 h-full">
          <Suspense fallback={<SkeletonLines />}>
            <CodeEditor label="Input" language="json" value={typedInput} onChange={onTypedInput} />
          </Suspense>
        </div>
      ) : input.isLoading ? (
        <SkeletonLines />
      ) : block.dataSources.length === 0 ? (
        <p className="text-table text-muted">This block reads from no other block.</p>
      ) : (
        <JsonTree value={input.values} label="input" />
      )}
    </Pane>
  )
}

function TestedPanes({ outcome, refusal }: { outcome: TestOutcome | undefined; refusal: string | undefined }) {
  const sentence = refusal ?? (outcome && !outcome.success ? String(outcome.result) : undefined)
  return (
    <>
      <Pane title="Result">
        {sentence !== undefined ? (
          <p role="alert" className="font-mono text-label text-red [overflow-wrap:anywhere] whitespace-pre-wrap">
            {sentence}
          </p>
        ) : (
          <JsonTree value={outcome?.result} label="result" />
        )}
      </Pane>
      <Pane title="Log">
        <LogView lines={outcome?.log ?? []} label="Log" />
        {outcome && outcome.calls.length > 0 && (
          <div className="mt-3">
            <p className="mb-1 text-label font-medium text-muted">Calls</p>
            <CallList
              calls={outcome.calls.map((call) => ({
                method: call.kind,
                url: textOf(call.arguments),
                status: call.errorMessage === null ? 'Answered' : 'Failed',
                statusCode: null,
                durationMs: call.durationInMilliSec,
                errorMessage: call.errorMessage,
                requestBody: null,
                responseBody: call.answer === null ? null : JSON.stringify(call.answer, null, 2).slice(0, 20_000),
              }))}
            />
          </div>
        )}
      </Pane>
    </>
  )
}

function textOf(given: unknown): string {
  if (Array.isArray(given)) return textOf(given[0])
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function LastRunPanes({ workflow, block }: PanesProps) {
  const hasRun = workflow.lastRunNumber !== null
  const parts = {
    params: { workflowId: workflow.id },
    query: { uniqueBlockId: block.uniqueBlockId, runNumber: workflow.lastRunNumber ?? 1 },
  }
  const result = useOperation('GetBlockResult', parts, { enabled: hasRun })
  const log = useOperation('GetBlockUserLog', parts, { enabled: hasRun })
  return (
    <>
      <Pane title="Result">
        {result.data?.success === false ? (
          <p className="font-mono text-label whitespace-pre-wrap text-red [overflow-wrap:anywhere]">
            {String(result.data.result)}
          </p>
        ) : result.data ? (
          <JsonTree value={result.data.result} label="result" />
        ) : result.isLoading ? (
          <SkeletonLines />
        ) : (
          <p className="text-table text-muted">No result yet. Test the block, or run the workflow.</p>
        )}
      </Pane>
      <Pane title="Log">
        {log.data ? (
          <LogView lines={log.data.result} label="Log" />
        ) : (
          <p className="text-table text-muted">No log yet.</p>
        )}
      </Pane>
    </>
  )
}
