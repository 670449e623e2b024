// What can be done with a workflow as a whole, at the top of its page.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Archive, EllipsisVertical, History, Pause, Play, Rocket, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { forget, sentenceOf, useAction } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'
import { useRunWorkflow } from './run-workflow.ts'

const reads = ['Workflow', 'WorkflowsSearch', 'Workflows', 'GetRunHistory', 'Overview'] as const

type Props = {
  workflow: WorkflowDetail
  hasUnsaved: boolean
  /** Why it was not deployed; undefined once it was. */
  onRefused: (sentence: string | undefined) => void
}

export function WorkflowActions({ workflow, hasUnsaved, onRefused }: Props) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'Archive' | 'Delete'>()
  const deploy = useDeploy(workflow, onRefused)
  const resume = useAction('ResumeWorkflow', { changes: reads, onDone: () => toast.done('Automatic runs resumed.') })
  const pause = useAction('BulkAction', { changes: reads, onDone: () => toast.done('Automatic runs paused.') })
  const items: MenuItem[] = [
    {
      label: 'Replay before deploy',
      icon: History,
      onSelect: () => void navigate({ to: '.', search: (before) => ({ ...before, replay: true }) }),
    },
    ...(workflow.workflowState === 'deployed' ? [{ label: 'Deploy', icon: Rocket, onSelect: deploy.start }] : []),
    ...(workflow.workflowState === 'deployed' && !workflow.isAutoRunPaused
      ? [
          {
            label: 'Pause automatic runs',
            icon: Pause,
            onSelect: () => pause.mutate({ body: { action: 'pause', workflowIds: [workflow.id] } }),
          },
        ]
      : []),
    ...(workflow.workflowState === 'archived'
      ? []
      : [{ label: 'Archive', icon: Archive, onSelect: () => setAsked('Archive') }]),
    { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => setAsked('Delete') },
  ]
  return (
    <>
      {workflow.isAutoRunPaused && (
        <Button
          icon={RotateCw}
          isBusy={resume.isPending}
          onClick={() => resume.mutate({ params: { id: workflow.id } })}
        >
          Resume
        </Button>
      )}
      <NextAction workflow={workflow} hasUnsaved={hasUnsaved} deploy={deploy} />
      <Menu
        label="More actions"
        trigger={<EllipsisVertical size={16} aria-hidden />}
        triggerClassName="flex size-8 items-center justify-center rounded-md border border-line-strong bg-panel text-muted hover:bg-raised hover:text-text"
        items={items}
      />
      {asked === 'Archive' && <ArchiveDialog workflow={workflow} onClose={() => setAsked(undefined)} />}
      {asked === 'Delete' && <DeleteDialog workflow={workflow} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function useDeploy(workflow: WorkflowDetail, onRefused: Props['onRefused']) {
  const deploy = useAction('DeployWorkflow', {
    changes: reads,
    isShownInPlace: true,
    onDone: () => toast.done(`${workflow.name} is deployed.`),
  })
  const start = () =>
    deploy.mutate(
      { params: { id: workflow.id } },
      { onSuccess: () => onRefused(undefined), onError: (error) => onRefused(sentenceOf(error)) },
    )
  return { start, isPending: deploy.isPending }
}

type NextProps = Omit<Props, 'onRefused'> & { deploy: ReturnType<typeof useDeploy> }

/** Deploy while it is being written, Run once it is deployed. */
function NextAction({ workflow, hasUnsaved, deploy }: NextProps) {
  const run = useRunWorkflow(workflow.id)
  if (workflow.workflowState === 'archived') return null
  // One button with one key: who deploys with the keyboard stands on Run afterwards.
  return workflow.workflowState === 'inDevelopment' ? (
    <Button
      key="next"
      tone="primary"
      icon={Rocket}
      isBusy={deploy.isPending}
      onClick={deploy.start}
      title={
        hasUnsaved
          ? 'Deploys what is saved. Your unsaved changes stay here.'
          : 'Lets it run by hand, on a schedule and by webhook.'
      }
    >
      Deploy
    </Button>
  ) : (
    <Button
      key="next"
      tone="primary"
      icon={Play}
      isBusy={run.isPending}
      onClick={() => run.mutate({ body: { workflowId: workflow.id } })}
    >
      Run
    </Button>
  )
}

type DialogProps = { workflow: WorkflowDetail; onClose: () => void }

function ArchiveDialog({ workflow, onClose }: DialogProps) {
  const archive = useAction('ArchiveWorkflow', {
    changes: reads,
    onDone: () => toast.done(`${workflow.name} is archived.`),
  })
  return (
    <ConfirmDialog
      title={`Archive ${workflow.name}?`}
      confirm="Archive"
      isBusy={archive.isPending}
      onClose={onClose}
      onConfirm={() => archive.mutate({ params: { id: workflow.id } }, { onSettled: onClose })}
    >
      Schedule and webhook stop. The history stays readable.
    </ConfirmDialog>
  )
}

function DeleteDialog({ workflow, onClose }: DialogProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useAction('DeleteWorkflow', {
    onDone: () => {
      toast.done(`${workflow.name} was deleted.`)
      void navigate({ to: '/workflows' }).then(() => forget(queries, reads))
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${workflow.name}?`}
      confirm="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: workflow.id } }, { onSettled: onClose })}
    >
      The workflow is removed for good, with its history, vault entries, queue and settings.
    </ConfirmDialog>
  )
}
