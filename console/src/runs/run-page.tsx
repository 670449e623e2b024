// One run: what happened when, and for each block what it was given, what it returned, what it wrote and whom it called.
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { RotateCcw, Square } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { type Answer, forget, operationQuery, runNumberOf, sentenceOf, useAction, useOperation } from '../api.ts'
import { calledNames } from '../definition/found-connections.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { PageOf } from '../ui/page-of.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { durationText, exactTime, Time, useNow } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { BlockDetail } from './block-detail.tsx'
import { firstShownBlock, listedRun, listedWorkflowName } from './prefetch-run.ts'
import { isUnderWay, StatusChip } from './run-status.tsx'
import { Waterfall } from './waterfall.tsx'
import { lanesOf, type TimedCall } from './waterfall-lanes.ts'

const route = getRouteApi('/workflows/$id/runs/$number')
/** Calls of more blocks than this are read when a block is opened. */
const callsOfBlocksMax = 40

type WorkflowOfRun = Answer<'Workflow'>
type Run = NonNullable<WorkflowOfRun['run']>

export function RunPage() {
  const { id, number } = route.useParams()
  const runNumber = Number(number)
  const workflow = useOperation(
    'Workflow',
    { params: { id }, query: { runNumber } },
    { refetchInterval: (data) => (data === undefined || isUnderWay(data?.run?.status) ? 700 : false) },
  )
  return (
    <PageOf
      query={workflow}
      title={`Run ${number}`}
      back={{ label: 'Workflows', to: '/workflows' }}
      sentence={sentenceOf}
      skeleton={<ListedRun workflowId={id} runNumber={runNumber} />}
    >
      {(data) => (data.run ? <LoadedRun workflow={data} run={data.run} /> : null)}
    </PageOf>
  )
}

/** What the list said about the run, until the run itself is there. */
function ListedRun({ workflowId, runNumber }: { workflowId: string; runNumber: number }) {
  const run = listedRun(workflowId, runNumber)
  const name = listedWorkflowName(workflowId)
  return (
    <Page
      title={name === undefined ? `Run ${runNumber}` : `Run ${runNumber} of ${name}`}
      back={{
        label: name ?? 'Workflow',
        link: { to: '/workflows/$id', params: { id: workflowId }, search: { tab: 'runs' } },
      }}
      state={run && <StatusChip status={run.status} />}
    >
      {run && <Facts run={run} endMs={Date.parse(run.startDateTimeUTC) + run.durationInMilliSec} />}
      <SkeletonLines count={8} />
    </Page>
  )
}

function LoadedRun({ workflow, run }: { workflow: WorkflowOfRun; run: Run }) {
  const { block: chosen, view } = route.useSearch()
  const navigate = route.useNavigate()
  const isLive = isUnderWay(run.status)
  const now = useNow(isLive)
  const calls = useCallsOf(workflow, run, isLive)
  const startMs = Date.parse(run.startDateTimeUTC)
  const endMs = run.endDateTimeUTC ? Date.parse(run.endDateTimeUTC) : Math.max(now, startMs + 1)
  const lanes = useMemo(
    () => lanesOf(workflow.chain, calls, { startMs, endMs }),
    [workflow.chain, calls, startMs, endMs],
  )
  const failed = workflow.chain.find((block) => block.status === 'Error')
  const blockId = chosen ?? firstShownBlock(workflow)
  const block = workflow.chain.find(({ uniqueBlockId }) => uniqueBlockId === blockId)
  const show = (changes: Record<string, string>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
  return (
    <Page
      title={`Run ${run.lockVersionNumber} of ${workflow.name}`}
      back={{
        label: workflow.name,
        link: { to: '/workflows/$id', params: { id: workflow.id }, search: { tab: 'runs' } },
      }}
      state={<StatusChip status={run.status} />}
      actions={<RunActions workflow={workflow} run={run} />}
    >
      <Facts run={run} endMs={endMs} />
      {run.errorMessage && (
        <div className="mb-4">
          <Notice kind="error" title={failed ? `${failed.blockName} failed` : 'The run failed'}>
            <span className="font-mono text-label whitespace-pre-wrap">{run.errorMessage}</span>
          </Notice>
        </div>
      )}
      {run.itemsFailed > 0 && (
        <div className="mb-4">
          <Notice
            kind="warning"
            title={`${run.itemsFailed} of ${counted(run.itemsTotal, 'item')} ${run.itemsFailed === 1 ? 'needs' : 'need'} attention`}
          >
            <Link to="/failed-items" search={{ workflow: workflow.id }} className="underline underline-offset-2">
              Retry or dismiss them
            </Link>
          </Notice>
        </div>
      )}
      <Panel className="mb-4">
        <Waterfall
          lanes={lanes}
          totalMs={endMs - startMs}
          selectedId={blockId}
          onSelect={(id) => show({ block: id })}
        />
      </Panel>
      {block && (
        <BlockDetail
          key={block.uniqueBlockId}
          workflow={workflow}
          run={run}
          block={block}
          view={view}
          onView={(next) => show({ view: next })}
        />
      )}
    </Page>
  )
}

function useCallsOf(workflow: WorkflowOfRun, run: Run, isLive: boolean): ReadonlyMap<string, readonly TimedCall[]> {
  const asked = workflow.chain
    .filter((block) => block.startDateTimeUTC && calledNames([block]).length > 0)
    .slice(0, callsOfBlocksMax)
  const answers = useQueries({
    queries: asked.map((block) => ({
      ...operationQuery('GetBlockCalls', {
        params: { workflowId: workflow.id },
        query: { uniqueBlockId: block.uniqueBlockId, runNumber: run.lockVersionNumber },
      }),
      staleTime: isLive ? 1000 : 60_000,
      refetchInterval: isLive ? 1500 : (false as const),
      retry: false,
    })),
    combine: (results) => results.map((result) => result.data?.result ?? []),
  })
  return useMemo(
    () => new Map(asked.map((block, index) => [block.uniqueBlockId, answers[index] ?? []])),
    [asked, answers],
  )
}

function Facts({ run, endMs }: { run: Run; endMs: number }) {
  const facts: [string, ReactNode][] = [
    [
      'Started',
      <span key="s" title={exactTime(run.startDateTimeUTC)}>
        <Time iso={run.startDateTimeUTC} />
      </span>,
    ],
    [
      'Duration',
      <span key="d" className="font-mono text-label">
        {durationText(run.endDateTimeUTC ? run.durationInMilliSec : endMs - Date.parse(run.startDateTimeUTC))}
      </span>,
    ],
    ...(run.pauseInMilliSec > 0
      ? [
          [
            'Paused',
            <span key="p" className="font-mono text-label">
              {durationText(run.pauseInMilliSec)}
            </span>,
          ] as [string, ReactNode],
        ]
      : []),
    ['Started by', run.processorType === 'Debug' ? `${run.runBy}, partial run` : run.runBy],
    [
      'Revision',
      <span key="r" className="font-mono text-label">
        {run.revision}
      </span>,
    ],
  ]
  return (
    <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-2 text-table">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-label text-muted">{name}</dt>
          <dd className="min-h-5 tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function RunActions({ workflow, run }: { workflow: WorkflowOfRun; run: Run }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const parts = { params: { workflowId: workflow.id }, query: { runNumber: run.lockVersionNumber } }
  const stop = useAction('StopWorkflowRun', {
    changes: ['Workflow', 'GetRunHistory'],
    onDone: ({ answer }) =>
      toast.done(answer ? 'The run stops after its current block.' : 'The run had ended already.'),
  })
  const retry = useAction('RetryRun', {
    onDone: ({ answer, headers }) => {
      void forget(queries, ['Workflow', 'GetRunHistory', 'WorkflowsSearch', 'Overview'])
      toast.done(answer)
      const number = runNumberOf(headers)
      if (number)
        void navigate({ to: '/workflows/$id/runs/$number', params: { id: workflow.id, number: String(number) } })
    },
  })
  return (
    <>
      {isUnderWay(run.status) && (
        <Button
          icon={Square}
          isBusy={stop.isPending}
          disabled={run.status === 'Stopping'}
          onClick={() => stop.mutate(parts)}
        >
          Stop
        </Button>
      )}
      {(run.status === 'Error' || run.status === 'Stopped') && (
        <Button
          tone="primary"
          icon={RotateCcw}
          isBusy={retry.isPending}
          onClick={() => retry.mutate(parts)}
          title="Runs again from the failed block, with the same input."
        >
          Retry
        </Button>
      )}
    </>
  )
}
