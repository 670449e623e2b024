// One workflow: its blocks, and everything around them in tabs.
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { useWorkflowDraft, type WorkflowDetail } from '../definition/workflow-draft.ts'
import { WorkflowStateChip } from '../definition/workflow-state.tsx'
import { isUnderWay } from '../runs/run-status.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { PageOf } from '../ui/page-of.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { BlocksTab } from './blocks-tab.tsx'
import { deploySummary } from './change-summary.ts'
import { WorkflowActions } from './workflow-actions.tsx'
import { tabPages } from './workflow-tabs.tsx'
import { FailedItemsLink, useTabCounts, WorkflowTrouble } from './workflow-trouble.tsx'

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
  const counts = useTabCounts(workflow)
  const [refusal, setRefusal] = useState<string>()
  return (
    <Page
      title={workflow.name}
      isWide={TabPage === undefined}
      back={{ label: 'Workflows', link: { to: '/workflows' } }}
      state={
        <>
          <WorkflowStates workflow={workflow} />
          <FailedItemsLink workflowId={workflow.id} />
        </>
      }
      lead={
        workflow.workflowState === 'inDevelopment' ? deploySummary(workflow) : <WorkflowTrouble workflow={workflow} />
      }
      actions={<WorkflowActions workflow={workflow} hasUnsaved={draft.isChanged} onRefused={setRefusal} />}
      tabs={
        <Tabs
          label="Workflow"
          tabs={tabs.map((entry) => ({ ...entry, count: counts[entry.id] }))}
          current={TabPage ? tab : 'blocks'}
        />
      }
    >
      {refusal && (
        <div className={TabPage ? 'mb-4' : 'px-4 py-3 sm:px-6'}>
          <Notice
            kind="error"
            title="Not deployed"
            action={
              <LinkButton size="small" to="." search={{ tab: 'connections' }}>
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
                search: (before) => ({ ...before, replay: undefined }),
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
