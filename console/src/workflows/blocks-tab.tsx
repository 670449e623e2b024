// The graph at the left, the chosen block at the right; which block stands in the address.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { forget, runNumberOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Splitter } from '../ui/splitter.tsx'
import { BlockEditor } from './block-editor.tsx'
import { BlockPicker } from './block-picker.tsx'
import { SaveBar } from './save-bar.tsx'
import type { WorkflowDetail, WorkflowDraft } from './workflow-draft.ts'

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
  const queries = useQueryClient()
  const [isPicking, setIsPicking] = useState(false)
  const isReadOnly = workflow.workflowState === 'archived'
  const isStructureFree = !isReadOnly && (workflow.workflowTemplateId === null || workflow.isCustomizedStructure)
  const select = useCallback(
    (id: string | undefined) =>
      void navigate({ to: '.', search: ((before: object) => ({ ...before, block: id })) as never, replace: true }),
    [navigate],
  )
  const lastRun = useLastRun(workflow)
  const blocks = useMemo(
    () =>
      draft.chain.map((block) => ({
        ...block,
        ...lastRun.get(block.uniqueBlockId),
        isChanged: draft.changed.has(block.uniqueBlockId),
      })),
    [draft.chain, draft.changed, lastRun],
  )
  const run = useAction('RunWorkflow', {
    onDone: ({ headers }) => {
      void forget(queries, ['Workflow', 'GetRunHistory', 'WorkflowsSearch'])
      const number = runNumberOf(headers)
      if (number)
        void navigate({ to: '/workflows/$id/runs/$number', params: { id: workflow.id, number: String(number) } })
    },
  })
  const block = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === blockId)
  const connect = (source: string, target: string) => {
    const reader = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === target)
    if (reader && !reader.dataSources.includes(source))
      draft.edit(target, { dataSources: [...reader.dataSources, source] })
  }
  const disconnect = (source: string, target: string) => {
    const reader = draft.chain.find(({ uniqueBlockId }) => uniqueBlockId === target)
    if (reader) draft.edit(target, { dataSources: reader.dataSources.filter((id) => id !== source) })
  }
  const graph = (
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
            selectedId={blockId}
            onSelect={select}
            {...(isStructureFree ? { onConnect: connect, onDisconnect: disconnect } : {})}
            corner={
              isStructureFree ? (
                <Button size="small" icon={Plus} onClick={() => setIsPicking(true)}>
                  Add block
                </Button>
              ) : undefined
            }
          />
        </Suspense>
      </div>
    </div>
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
