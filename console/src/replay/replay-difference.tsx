// What one run would have done otherwise, block by block: result, calls, log.
import { lazy, type ReactNode, Suspense } from 'react'
import { useOperation } from '../api.ts'
import { Chip } from '../ui/chip.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { applyPatch, type Operation } from './apply-patch.ts'
import { ReplayChip, type ReplayedBlock, type ReplayedRun } from './replay-outcome.tsx'

const DiffView = lazy(() => import('../ui/diff-view.tsx').then((module) => ({ default: module.DiffView })))

/** Larger results are shown as the list of what changed. */
const comparedCharactersMax = 300_000

export function ReplayDifference({ workflowId, run }: { workflowId: string; run: ReplayedRun }) {
  const differing = run.blocks.filter((block) => block.outcome !== 'same' || block.log !== null)
  return (
    <section aria-label={`Difference of run ${run.runNumber}`} className="flex flex-col gap-4">
      <h3 className="flex items-center gap-2 text-section font-semibold">
        Run {run.runNumber} <ReplayChip outcome={run.outcome} />
      </h3>
      {run.message && <Notice kind={run.outcome === 'failed' ? 'error' : 'note'}>{run.message}</Notice>}
      {differing.length === 0 && run.outcome !== 'notReplayable' && (
        <p className="text-muted">Every block returns the same result and makes the same calls.</p>
      )}
      {differing.map((block) => (
        <Panel key={block.uniqueBlockId} className="overflow-hidden">
          <h4 className="flex min-h-10 items-center gap-2 border-b border-line px-4 font-semibold">
            {block.blockName} <ReplayChip outcome={block.outcome} />
          </h4>
          <div className="flex flex-col gap-4 p-4">
            {block.errorMessage && (
              <p className="font-mono text-label text-red [overflow-wrap:anywhere]">{block.errorMessage}</p>
            )}
            {block.result.length > 0 && block.outcome !== 'failed' && (
              <Part title="Result">
                <Result workflowId={workflowId} runNumber={run.runNumber} block={block} />
              </Part>
            )}
            {block.calls.length > 0 && (
              <Part title="Calls">
                <Calls block={block} />
              </Part>
            )}
            {block.log && (
              <Part title="Log">
                <SideBySide before={block.log.from.join('\n')} after={block.log.to.join('\n')} />
              </Part>
            )}
          </div>
        </Panel>
      ))}
    </section>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h5 className="mb-1.5 text-table font-medium text-muted">{title}</h5>
      {children}
    </div>
  )
}

function SideBySide({ before, after }: { before: string; after: string }) {
  return (
    <Suspense fallback={<SkeletonLines />}>
      <DiffView before={before} after={after} language="json" labels={['Recorded', 'Replayed']} />
    </Suspense>
  )
}

function Result({ workflowId, runNumber, block }: { workflowId: string; runNumber: number; block: ReplayedBlock }) {
  const recorded = useOperation('GetBlockResult', {
    params: { workflowId },
    query: { uniqueBlockId: block.uniqueBlockId, runNumber },
  })
  const patch = block.result as Operation[]
  if (recorded.isPending) return <SkeletonLines />
  // A block that is new has nothing recorded.
  const before = recorded.data?.success ? recorded.data.result : null
  const text = JSON.stringify(before, null, 2)
  if (text.length > comparedCharactersMax) return <PatchList patch={patch} />
  return <SideBySide before={text} after={JSON.stringify(applyPatch(before, patch), null, 2)} />
}

function PatchList({ patch }: { patch: readonly Operation[] }) {
  return (
    <ul className="max-h-72 overflow-auto font-mono text-label">
      {patch.map(({ op, path, value }) => (
        <li key={`${op} ${path}`} className="[overflow-wrap:anywhere]">
          {op} {path || '/'} {op === 'remove' ? '' : JSON.stringify(value)}
        </li>
      ))}
    </ul>
  )
}

const tones = { added: 'green', removed: 'red', changed: 'amber' } as const

function Calls({ block }: { block: ReplayedBlock }) {
  return (
    <ul className="flex flex-col gap-3">
      {block.calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no id; their order is what identifies them.
        <li key={index} className="flex flex-col gap-1.5">
          <span className="flex min-w-0 items-center gap-2 font-mono text-label">
            <Chip tone={tones[call.change]}>{call.change}</Chip>
            <span className="shrink-0 font-semibold">{call.method}</span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{call.url}</span>
          </span>
          {call.change === 'changed' && (
            <SideBySide before={JSON.stringify(call.from, null, 2)} after={JSON.stringify(call.to, null, 2)} />
          )}
        </li>
      ))}
    </ul>
  )
}
