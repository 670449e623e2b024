// Cause and effect of one block: what it is given, what it returned, what it wrote. Of the last test, or of a recorded run.
import { FlaskConical } from 'lucide-react'
import { useOperation } from '../api.ts'
import { bookOf } from '../definition/samples.ts'
import type { Block, WorkflowDetail } from '../definition/workflow-draft.ts'
import { CallList } from '../runs/call-list.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { LogView } from '../ui/log-view.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { useStore } from '../ui/store.ts'
import { durationText } from '../ui/time.tsx'
import type { TestStep } from './block-test.ts'
import { InputPane, type InputPaneProps } from './input-pane.tsx'
import { Pane } from './pane.tsx'
import { SampleRun } from './sample-run.tsx'

type PanesProps = InputPaneProps & {
  /** The last test, and the block that it ended at. */
  step: TestStep | undefined
  refusal: string | undefined
  /** The block that is being tested now. */
  testing: string | undefined
  callsApplications: boolean
  onCallsApplications: (calls: boolean) => void
  onTest: () => void
}

export function BlockPanes(props: PanesProps) {
  const { step, isTesting } = props
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
        <SampleRun workflow={props.workflow} />
        <span className="ml-auto truncate text-label text-muted" role="status">
          <TestWords {...props} />
        </span>
      </div>
      <div className="grid min-h-0 flex-1 grid-cols-[repeat(auto-fit,minmax(200px,1fr))] overflow-auto [&>*+*]:border-line max-sm:[&>*+*]:border-t sm:[&>*+*]:border-l">
        <InputPane {...props} />
        {step || props.refusal ? (
          <TestedPanes block={props.block} step={step} refusal={props.refusal} />
        ) : (
          <RecordedPanes {...props} />
        )}
      </div>
    </div>
  )
}

function TestWords({ workflow, step, isTesting, testing }: PanesProps) {
  const runNumber = useShownRun(workflow)
  if (isTesting) return `Testing ${testing ?? ''} …`
  if (step) return `Test took ${durationText(step.outcome.durationInMilliSec)}`
  return runNumber === null ? 'This workflow has not run yet' : `Shown: run ${runNumber}`
}

/** The run whose results stand in where nothing was tested. */
function useShownRun(workflow: WorkflowDetail): number | null {
  return useStore(bookOf(workflow.id)).runNumber ?? workflow.lastRunNumber
}

type TestedProps = { block: Block; step: TestStep | undefined; refusal: string | undefined }

function TestedPanes({ block, step, refusal }: TestedProps) {
  const outcome = step?.outcome
  const failed = outcome && !outcome.success ? String(outcome.result) : undefined
  const isElsewhere = step !== undefined && step.block.uniqueBlockId !== block.uniqueBlockId
  const sentence = refusal ?? (isElsewhere ? `${step.block.blockName} failed: ${failed}` : failed)
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

function RecordedPanes({ workflow, block }: PanesProps) {
  const runNumber = useShownRun(workflow)
  const hasRun = runNumber !== null
  const parts = {
    params: { workflowId: workflow.id },
    query: { uniqueBlockId: block.uniqueBlockId, runNumber: runNumber ?? 1 },
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
