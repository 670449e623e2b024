// Unsaved changes, and what to do with them. A change that somebody else saved meanwhile is never overwritten without a look at it.
import { PatchbayError } from '@patchbay/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { call, forget, sentenceOf } from '../api.ts'
import { useFoundConnections } from '../definition/found-connections.ts'
import type { WorkflowDetail, WorkflowDraft } from '../definition/workflow-draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { draftSummary } from './change-summary.ts'

const CompareDialog = lazy(() => import('./compare-dialog.tsx').then((module) => ({ default: module.CompareDialog })))

export function SaveBar({ workflow, draft }: { workflow: WorkflowDetail; draft: WorkflowDraft }) {
  const queries = useQueryClient()
  const [isComparing, setIsComparing] = useState(false)
  const { save, connects } = useSave(workflow, draft)
  const saveDraft = () => save.mutate(`"${draft.baseRevision}"`)
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => draft.isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: () => draft.isChanged,
    withResolver: true,
  })
  useSaveKey(() => {
    if (draft.isChanged) saveDraft()
  })
  if (!draft.isChanged) return null
  const isOvertaken = save.error instanceof PatchbayError && save.error.status === 409
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-amber-soft px-4 py-1.5">
      <span className="text-table font-medium text-amber">
        Unsaved: {draftSummary(workflow.chain, draft)}
        {connects.length > 0 && `, connects ${connects.join(' and ')}`}
        {workflow.workflowState === 'deployed' && (
          <span className="font-normal"> · takes effect from the next run after you save</span>
        )}
      </span>
      {save.error && !isOvertaken && (
        <span role="alert" className="text-table text-red">
          {sentenceOf(save.error)}
        </span>
      )}
      <div className="ml-auto flex gap-2">
        <Button size="small" tone="quiet" onClick={draft.discard}>
          Discard
        </Button>
        <Button size="small" onClick={() => setIsComparing(true)}>
          Compare
        </Button>
        <LinkButton size="small" to="." search={(before) => ({ ...before, replay: true })}>
          Replay
        </LinkButton>
        <Button size="small" tone="primary" isBusy={save.isPending} onClick={saveDraft} title="Ctrl S">
          Save
        </Button>
      </div>
      {isComparing && (
        <Suspense fallback={null}>
          <CompareDialog saved={workflow.chain} draft={draft.chain} onClose={() => setIsComparing(false)} />
        </Suspense>
      )}
      {leaving.status === 'blocked' && (
        <ConfirmDialog
          title="Leave without saving?"
          confirm="Leave"
          onConfirm={leaving.proceed}
          onClose={leaving.reset}
        >
          Your changes to {workflow.name} are not saved: {draftSummary(workflow.chain, draft)}.
        </ConfirmDialog>
      )}
      {isOvertaken && (
        <OvertakenDialog
          sentence={sentenceOf(save.error)}
          isBusy={save.isPending}
          onClose={() => save.reset()}
          onCompare={async () => {
            save.reset()
            await forget(queries, ['Workflow'])
            draft.rebase()
            setIsComparing(true)
          }}
          onOverwrite={() => save.mutate('*')}
        />
      )}
    </div>
  )
}

/** Saves the draft together with the connections that its new calls need. */
function useSave(workflow: WorkflowDetail, draft: WorkflowDraft) {
  const queries = useQueryClient()
  const found = useFoundConnections(workflow, draft.chain)
  const connects = Object.keys(found)
  // Who mends a script wants to retry the run that failed with it.
  const failedRun = workflow.lastRunStatus === 'Error' && workflow.lastRunNumber !== null && (
    <LinkButton
      size="small"
      to="/workflows/$id/runs/$number"
      params={{ id: workflow.id, number: String(workflow.lastRunNumber) }}
    >
      Back to run {workflow.lastRunNumber}
    </LinkButton>
  )
  const save = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (revision: string) =>
      call(
        'WorkflowUpdate',
        {
          params: { id: workflow.id },
          body: { ...draft.body(), ...(connects.length > 0 ? { applications: found } : {}) },
        },
        { headers: { 'If-Match': revision } },
      ),
    onSuccess: async () => {
      await forget(queries, ['Workflow', 'WorkflowsSearch', 'WorkflowRevisions'])
      draft.discard()
      toast.done('Saved.', failedRun)
    },
  })
  return { save, connects }
}

function useSaveKey(onSave: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 's') {
        event.preventDefault()
        onSave()
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

function OvertakenDialog({
  sentence,
  isBusy,
  onClose,
  onCompare,
  onOverwrite,
}: {
  sentence: string
  isBusy: boolean
  onClose: () => void
  onCompare: () => void
  onOverwrite: () => void
}) {
  return (
    <Dialog title="Somebody else saved this workflow" onClose={onClose}>
      <p role="alert" className="text-muted">
        {sentence}
      </p>
      <p className="mt-2 text-muted">
        Your changes are kept here. Compare them with the newest revision before you save.
      </p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="danger" isBusy={isBusy} onClick={onOverwrite}>
          Save anyway
        </Button>
        <Button tone="primary" onClick={onCompare}>
          Compare
        </Button>
      </div>
    </Dialog>
  )
}
