// The graph at the left, the chosen block at the right; which block stands in the address.
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useOperation } from '../api.ts'
import { badgesOf } from '../definition/flow.ts'
import { bookOf, countOf, newestSample } from '../definition/samples.ts'
import type { WorkflowDetail, WorkflowDraft } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Splitter } from '../ui/splitter.tsx'
import { useStore } from '../ui/store.ts'
import { BlockEditor } from './block-editor.tsx'
import { BlockPicker } from './block-picker.tsx'
import { useRunWorkflow } from './run-workflow.ts'
import { SaveBar } from './save-bar.tsx'
import { triggerOf } from './trigger.ts'

const BlockGraph = lazy(() => import('./block-graph.tsx').then((module) => ({ default: module.BlockGraph })))

export function BlocksTab({
  workflow,
  draft,
  blockId,
}: {
  workflow: WorkflowDetail
  draft: WorkflowDraft
  blockId: string | undefined
}) {
  const navigate = useNavigate()
  const [isPicking, setIsPicking] = useState(false)
  const isReadOnly = workflow.workflowState === 'archived'
  const isStructureFree = !isReadOnly && (workflow.workflowTemplateId === null || workflow.isCustomizedStructure)
  const select = useCallback(
    (id: string | undefined) =>
      void navigate({ to: '.', search: (before) => ({ ...before, block: id }), replace: true }),
    [navigate],
  )
  const blocks = useDrawnBlocks(workflow, draft)
  const run = useRunWorkflow(workflow.id)
  const block = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === blockId)
  const graph = (
    <Graph
      workflow={workflow}
      draft={draft}
      blocks={blocks}
      blockId={blockId}
      onSelect={select}
      onAdd={isStructureFree ? () => setIsPicking(true) : undefined}
    />
  )
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SaveBar workflow={workflow} draft={draft} />
      {block ? (
        <Splitter
          id="workflow"
          label="Width of graph and editor"
          initial={48}
          first={graph}
          second={
            <BlockEditor
              key={block.uniqueBlockId}
              workflow={workflow}
              chain={draft.chain}
              block={block}
              isReadOnly={isReadOnly}
              isStructureFree={isStructureFree}
              onEdit={(edit) => draft.edit(block.uniqueBlockId, edit)}
              onRemove={() => {
                draft.remove(block.uniqueBlockId)
                select(undefined)
              }}
              onRun={(range) => run.mutate({ body: { workflowId: workflow.id, ...range } })}
              onClose={() => select(undefined)}
            />
          }
        />
      ) : (
        graph
      )}
      {isPicking && (
        <BlockPicker
          after={block?.uniqueBlockId ?? draft.chain.at(-1)?.uniqueBlockId}
          onPick={(added) => {
            draft.add(added)
            setIsPicking(false)
            select(added.uniqueBlockId)
          }}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  )
}

type GraphProps = {
  workflow: WorkflowDetail
  draft: WorkflowDraft
  blocks: ReturnType<typeof useDrawnBlocks>
  blockId: string | undefined
  onSelect: (id: string | undefined) => void
  /** Undefined where the structure may not be changed. */
  onAdd: (() => void) | undefined
}

function Graph({ workflow, draft, blocks, blockId, onSelect, onAdd }: GraphProps) {
  const connect = (source: string, target: string) => {
    const reader = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === target)
    if (reader && !reader.dataSources.includes(source))
      draft.edit(target, { dataSources: [...reader.dataSources, source] })
  }
  const trigger = useMemo(() => triggerOf(workflow), [workflow])
  const disconnect = (source: string, target: string) => {
    const reader = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === target)
    if (reader) draft.edit(target, { dataSources: reader.dataSources.filter((id) => id !== source) })
  }
  return (
    <div className="relative min-h-80 flex-1">
      <div className="absolute inset-0">
        <Suspense
          fallback={
            <div className="p-6">
              <Skeleton width={208} height={64} />
            </div>
          }
        >
          <BlockGraph
            label={`Blocks of ${workflow.name}`}
            blocks={blocks}
            trigger={trigger}
            selectedId={blockId}
            onSelect={onSelect}
            {...(onAdd ? { onConnect: connect, onDisconnect: disconnect } : {})}
            corner={
              onAdd ? (
                <Button size="small" icon={Plus} onClick={onAdd}>
                  Add block
                </Button>
              ) : undefined
            }
          />
        </Suspense>
      </div>
    </div>
  )
}

/** The blocks as the graph draws them: how the last run went, and which of them are not saved. */
function useDrawnBlocks(workflow: WorkflowDetail, draft: WorkflowDraft) {
  const lastRun = useLastRun(workflow)
  const book = useStore(bookOf(workflow.id))
  return useMemo(
    () =>
      draft.chain.map((block) => {
        const sample = newestSample(book, block.uniqueBlockId, undefined)
        return {
          ...block,
          ...lastRun.get(block.uniqueBlockId),
          ...(sample ? { itemsOut: countOf(sample.value) } : {}),
          badges: badgesOf(block),
          isPinned: book.pinned.has(block.uniqueBlockId),
          isChanged: draft.changed.has(block.uniqueBlockId),
        }
      }),
    [draft.chain, draft.changed, lastRun, book],
  )
}

/** State and time of each block in the last run. */
function useLastRun(workflow: WorkflowDetail): ReadonlyMap<string, { status?: string; durationMs?: number }> {
  const { data } = useOperation(
    'Workflow',
    { params: { id: workflow.id }, query: { runNumber: workflow.lastRunNumber ?? 0 } },
    { enabled: workflow.lastRunNumber !== null, keepPrevious: true },
  )
  return useMemo(
    () =>
      new Map(
        (data?.chain ?? []).map((block) => [
          block.uniqueBlockId,
          {
            ...(block.status ? { status: block.status } : {}),
            ...(block.startDateTimeUTC && block.endDateTimeUTC
              ? { durationMs: Date.parse(block.endDateTimeUTC) - Date.parse(block.startDateTimeUTC) }
              : {}),
          },
        ]),
      ),
    [data],
  )
}
