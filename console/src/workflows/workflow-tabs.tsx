import type { FunctionComponent } from 'react'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { RunsTab } from '../runs/runs-tab.tsx'
import { ScheduleTab } from '../schedules/schedule-tab.tsx'
import { WebhookTab } from '../webhooks/webhook-tab.tsx'
import { ConnectionsTab } from './connections-tab.tsx'
import { RevisionsTab } from './revisions-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VariablesTab } from './variables-tab.tsx'

/** Every tab beside the blocks. */
export const tabPages: Record<string, FunctionComponent<{ workflow: WorkflowDetail }> | undefined> = {
  variables: VariablesTab,
  connections: ConnectionsTab,
  schedule: ScheduleTab,
  webhook: WebhookTab,
  runs: RunsTab,
  revisions: RevisionsTab,
  settings: SettingsTab,
}
