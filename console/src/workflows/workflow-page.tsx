// One workflow: its blocks, and everything around them in tabs.
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Archive, EllipsisVertical, History, Play, Rocket, RotateCw, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { forget, runNumberOf, sentenceOf, useAction, useOperation } from '../api.ts'
import { isUnderWay } from '../runs/run-status.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { PageOf } from '../ui/page-of.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { BlocksTab } from './blocks-tab.tsx'
import { deploySummary } from './change-summary.ts'
import { useWorkflowDraft, type WorkflowDetail } from './workflow-draft.ts'
import { WorkflowStateChip } from './workflow-state.tsx'
import { tabPages } from './workflow-tabs.tsx'

const ReplayPanel = lazy(() => import('../replay/replay-panel.tsx').then((module) => ({ default: module.ReplayPanel })))
const route = getRouteApi('/workflows/$id')

const tabs = [
  { id: 'blocks', label: 'Blocks' },
  { id: 'variables', label: 'Variables' },
  { id: 'connections', label: 'Connections' },
  { id: 'schedule', label: 'Schedule' },
  { id: 'webhook', label: 'Webhook' },
  { id: 'runs', label: 'Runs' },
  { id: 'revisions', label: 'Revisions' },
  { id: 'settings', label: 'Settings' },
]

export function WorkflowPage() {
  const { id } = route.useParams()
  const workflow = useOperation(
    'Workflow',
    { params: { id }, query: {} },
    { refetchInterval: (data) => (isUnderWay(data?.lastRunStatus) ? 1500 : 15_000) },
  )
  return (
    <PageOf query={workflow} title="Workflow" back={{ label: 'Workflows', to: '/workflows' }} sentence={sentenceOf}>
      {(data) => <LoadedWorkflow key={data.id} workflow={data} />}
    </PageOf>
  )
}

function LoadedWorkflow({ workflow }: { workflow: WorkflowDetail }) {
  const { tab = 'blocks', block, replay } = route.useSearch()
  const navigate = route.useNavigate()
  const draft = useWorkflowDraft(workflow)
  const TabPage = tabPages[tab]
  const [refusal, setRefusal] = useState<string>()
  return (
    <Page
      title={workflow.name}
      isWide={TabPage === undefined}
      back={{ label: 'Workflows', link: { to: '/workflows' } }}
      state={<WorkflowStates workflow={workflow} />}
      lead={workflow.workflowState === 'inDevelopment' ? deploySummary(workflow) : undefined}
      actions={<WorkflowActions workflow={workflow} hasUnsaved={draft.isChanged} onRefused={setRefusal} />}
      tabs={<Tabs label="Workflow" tabs={tabs} current={TabPage ? tab : 'blocks'} />}
    >
      {refusal && (
        <div className={TabPage ? 'mb-4' : 'px-4 py-3 sm:px-6'}>
          <Notice
            kind="error"
            title="Not deployed"
            action={
              <LinkButton size="small" to="." search={{ tab: 'connections' } as never}>
                Connections
              </LinkButton>
            }
          >
            {refusal}
          </Notice>
        </div>
      )}
      {TabPage ? <TabPage workflow={workflow} /> : <BlocksTab workflow={workflow} draft={draft} blockId={block} />}
      {replay && (
        <Suspense fallback={null}>
          <ReplayPanel
            workflow={workflow}
            draft={draft}
            onClose={() =>
              void navigate({
                search: ((before: object) => ({ ...before, replay: undefined })) as never,
                replace: true,
              })
            }
          />
        </Suspense>
      )}
    </Page>
  )
}

function WorkflowStates({ workflow }: { workflow: WorkflowDetail }) {
  return (
    <span className="flex gap-1.5">
      <WorkflowStateChip state={workflow.workflowState} />
      {workflow.isAutoRunPaused && (
        <Chip tone="amber" shape="bars">
          Paused
        </Chip>
      )}
    </span>
  )
}

const reads = ['Workflow', 'WorkflowsSearch', 'Workflows', 'GetRunHistory', 'Overview'] as const

function WorkflowActions({
  workflow,
  hasUnsaved,
  onRefused,
}: {
  workflow: WorkflowDetail
  hasUnsaved: boolean
  /** Why it was not deployed; undefined once it was. */
  onRefused: (sentence: string | undefined) => void
}) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'Archive' | 'Delete'>()
  const params = { params: { id: workflow.id } }
  const deploy = useAction('DeployWorkflow', {
    changes: reads,
    isShownInPlace: true,
    onDone: () => toast.done(`${workflow.name} is deployed.`),
  })
  const startDeploy = () =>
    deploy.mutate(params, {
      onSuccess: () => onRefused(undefined),
      onError: (error) => onRefused(sentenceOf(error)),
    })
  const resume = useAction('ResumeWorkflow', { changes: reads, onDone: () => toast.done('Automatic runs resumed.') })
  const run = useAction('RunWorkflow', {
    onDone: ({ headers }) => {
      void forget(queries, reads)
      const number = runNumberOf(headers)
      if (number)
        void navigate({ to: '/workflows/$id/runs/$number', params: { id: workflow.id, number: String(number) } })
    },
  })
  const archive = useAction('ArchiveWorkflow', {
    changes: reads,
    onDone: () => toast.done(`${workflow.name} is archived.`),
  })
  const remove = useAction('DeleteWorkflow', {
    onDone: () => {
      toast.done(`${workflow.name} is deleted.`)
      void navigate({ to: '/workflows' }).then(() => forget(queries, reads))
    },
  })
  const isDeployed = workflow.workflowState === 'deployed'
  const items: MenuItem[] = [
    {
      label: 'Replay before deploy',
      icon: History,
      onSelect: () => void navigate({ to: '.', search: ((before: object) => ({ ...before, replay: true })) as never }),
    },
    ...(isDeployed ? [{ label: 'Deploy', icon: Rocket, onSelect: startDeploy }] : []),
    ...(workflow.workflowState === 'archived'
      ? []
      : [{ label: 'Archive', icon: Archive, onSelect: () => setAsked('Archive') }]),
    { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => setAsked('Delete') },
  ]
  return (
    <>
      {workflow.isAutoRunPaused && (
        <Button icon={RotateCw} isBusy={resume.isPending} onClick={() => resume.mutate(params)}>
          Resume
        </Button>
      )}
      {/* One button with one key: who deploys with the keyboard stands on Run afterwards. */}
      {workflow.workflowState === 'inDevelopment' ? (
        <Button
          key="next"
          tone="primary"
          icon={Rocket}
          isBusy={deploy.isPending}
          onClick={startDeploy}
          title={
            hasUnsaved
              ? 'Deploys what is saved. Your unsaved changes stay here.'
              : 'Lets it run by hand, on a schedule and by webhook.'
          }
        >
          Deploy
        </Button>
      ) : (
        isDeployed && (
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
      )}
      <Menu
        label="More actions"
        trigger={<EllipsisVertical size={16} aria-hidden />}
        triggerClassName="flex size-8 items-center justify-center rounded-md border border-line-strong bg-panel text-muted hover:bg-raised hover:text-text"
        items={items}
      />
      {asked === 'Archive' && (
        <ConfirmDialog
          title={`Archive ${workflow.name}?`}
          confirm="Archive"
          isBusy={archive.isPending}
          onClose={() => setAsked(undefined)}
          onConfirm={() => archive.mutate(params, { onSettled: () => setAsked(undefined) })}
        >
          Schedule and webhook stop. The history stays readable.
        </ConfirmDialog>
      )}
      {asked === 'Delete' && (
        <ConfirmDialog
          title={`Delete ${workflow.name}?`}
          confirm="Delete"
          isBusy={remove.isPending}
          onClose={() => setAsked(undefined)}
          onConfirm={() => remove.mutate(params, { onSettled: () => setAsked(undefined) })}
        >
          The workflow is removed for good, with its history, vault entries, queue and settings.
        </ConfirmDialog>
      )}
    </>
  )
}
