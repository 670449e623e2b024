// Replay before deploy: recorded runs are run again against what is on the screen, and nothing leaves the service.

import { History, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { sentenceOf, useAction, useOperation } from '../api.ts'
import type { WorkflowDetail, WorkflowDraft } from '../definition/workflow-draft.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { ReplayDifference } from './replay-difference.tsx'
import { type Replay, ReplayChip, type ReplayedRun, type ReplayOutcome, replayLooks } from './replay-outcome.tsx'

const amounts = [5, 10, 20, 50, 100, 200]

export function ReplayPanel({
  workflow,
  draft,
  onClose,
}: {
  workflow: WorkflowDetail
  draft: WorkflowDraft
  onClose: () => void
}) {
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    panel.current?.focus()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close.current()
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="appearing fixed top-(--strip) right-0 bottom-0 max-md:bottom-14 z-30 flex w-[1040px] max-w-full flex-col border-l border-line bg-ground shadow-float outline-none"
    >
      <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line bg-panel py-2 pr-2 pl-5">
        <h2 id={titleId} className="min-w-0 flex-1 text-section font-semibold">
          Replay before deploy
        </h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4 max-sm:px-4">
        <ReplayBody workflow={workflow} draft={draft} />
      </div>
    </aside>
  )
}

function ReplayBody({ workflow, draft }: { workflow: WorkflowDetail; draft: WorkflowDraft }) {
  const [lastRuns, setLastRuns] = useState(10)
  const [replayId, setReplayId] = useState<string>()
  const start = useAction('ReplayStart', { onDone: ({ answer }) => setReplayId(answer?.replayId) })
  const replay = useOperation(
    'Replay',
    { params: { id: replayId ?? '' } },
    { enabled: replayId !== undefined, refetchInterval: (data) => (data?.state === 'Running' ? 400 : false) },
  )
  const begin = () =>
    start.mutate({
      params: { id: workflow.id },
      body: { lastRuns, ...(draft.isChanged ? { changes: draft.body() } : {}) },
    })
  const error = start.error ?? replay.error
  const isRunning = start.isPending || (replayId !== undefined && replay.data?.state !== 'Completed' && !error)
  return (
    <div className="flex flex-col gap-5">
      <p className="max-w-[80ch] text-muted">
        Recorded runs are run again with {draft.isChanged ? 'your unsaved changes' : `revision ${workflow.revision}`},
        on what they received then. No call leaves Patchbay, nothing is written, no e-mail is sent.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Runs"
          className="w-40"
          value={String(lastRuns)}
          onChange={({ target }) => setLastRuns(Number(target.value))}
          options={amounts.map((amount) => ({ value: String(amount), label: `The last ${amount}` }))}
        />
        <Button tone="primary" icon={History} isBusy={isRunning} onClick={begin}>
          Replay
        </Button>
        {replay.data && <Counts replay={replay.data} />}
      </div>
      {error && <Notice kind="error">{sentenceOf(error)}</Notice>}
      {replay.data?.state === 'Failed' && (
        <Notice kind="error">The replay could not be finished because of an internal error. Try again.</Notice>
      )}
      {replay.data && <Runs key={replayId} workflow={workflow} replay={replay.data} />}
    </div>
  )
}

function Counts({ replay }: { replay: Replay }) {
  const outcomes = (Object.keys(replayLooks) as ReplayOutcome[]).filter((outcome) => replay.counts[outcome] > 0)
  return (
    <p role="status" className="flex h-8 flex-wrap items-center gap-2 text-table">
      {outcomes.map((outcome) => (
        <span key={outcome} className="flex items-center gap-1.5">
          <span className="font-medium tabular-nums">{replay.counts[outcome]}</span> <ReplayChip outcome={outcome} />
        </span>
      ))}
      {replay.state === 'Running' && <span className="text-muted">running …</span>}
    </p>
  )
}

function Runs({ workflow, replay }: { workflow: WorkflowDetail; replay: Replay }) {
  const [chosen, setChosen] = useState<number>()
  if (replay.runs.length === 0 && replay.state === 'Completed') {
    return (
      <Empty icon={History} title="No recorded runs">
        {workflow.replayRuns === 0
          ? 'This workflow keeps no runs for replay. Set how many to keep under Settings, run it once, then replay.'
          : `Patchbay records the newest ${counted(workflow.replayRuns, 'full run')} of this workflow. Run it once, then replay.`}
      </Empty>
    )
  }
  const shown =
    replay.runs.find(({ runNumber }) => runNumber === chosen) ??
    replay.runs.find(({ outcome }) => outcome === 'failed') ??
    replay.runs.find(({ outcome }) => outcome === 'different')
  return (
    <>
      <Panel>
        <DataTable
          label="Replayed runs"
          columns={columnsFor(setChosen, shown?.runNumber)}
          rows={replay.runs.length === 0 ? undefined : replay.runs}
          skeletonRows={3}
          keyOf={({ runNumber }) => String(runNumber)}
        />
      </Panel>
      {shown && <ReplayDifference workflowId={workflow.id} run={shown} />}
    </>
  )
}

function columnsFor(onChoose: (runNumber: number) => void, shown: number | undefined): Column<ReplayedRun>[] {
  return [
    {
      id: 'run',
      label: 'Run',
      width: '90px',
      cell: ({ runNumber }) => (
        <button
          type="button"
          aria-pressed={runNumber === shown}
          onClick={() => onChoose(runNumber)}
          className="rounded-sm font-mono font-medium text-accent hover:underline aria-pressed:underline"
        >
          {runNumber}
        </button>
      ),
    },
    { id: 'outcome', label: 'Outcome', width: '130px', cell: ({ outcome }) => <ReplayChip outcome={outcome} /> },
    {
      id: 'what',
      label: 'What differs',
      cell: (run) => <span className="text-muted [overflow-wrap:anywhere]">{describe(run)}</span>,
    },
  ]
}

function describe({ message, blocks }: ReplayedRun): string {
  if (message) return message
  const parts = blocks
    .filter(({ outcome }) => outcome !== 'same')
    .map(({ blockName, result, calls }) => {
      const what = [
        ...(result.length > 0 ? ['result'] : []),
        ...(calls.length > 0 ? [counted(calls.length, 'call')] : []),
      ]
      return `${blockName}: ${what.join(', ') || 'added or removed'}`
    })
  return parts.join(' · ') || 'Nothing'
}
