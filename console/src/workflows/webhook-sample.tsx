// The webhook request that tests see: the newest one received in development, or one that was chosen and stays.
import { useAction, useOperation } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Select } from '../ui/field.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { exactTime } from '../ui/time.tsx'

export function WebhookSample({ workflow, onInsert }: { workflow: WorkflowDetail; onInsert: (path: string) => void }) {
  const parts = { params: { id: workflow.id } }
  const requests = useOperation('GetSandboxWebhooks', parts, { staleTime: 5_000 }).data ?? []
  const value = useOperation('GetSandboxWebhookValue', parts, { enabled: requests.length > 0 })
  const pin = useAction('WebhookSandboxPin', { changes: ['GetSandboxWebhooks', 'GetSandboxWebhookValue'] })
  if (requests.length === 0) return null
  const pinned = requests.find(({ isPinned }) => isPinned)
  return (
    <div className="min-w-0">
      <div className="mb-1 flex items-center gap-2 text-label">
        <span className="font-medium text-text">webhook</span>
        <Select
          label="Webhook sample"
          isLabelHidden
          className="ml-auto w-44"
          value={pinned?.webhookId ?? ''}
          onChange={(event) => pin.mutate({ ...parts, body: { webhookId: event.target.value || null } })}
          options={[
            { value: '', label: 'Newest request' },
            ...requests.map(({ webhookId, createDateTimeUTC }) => ({
              value: webhookId,
              label: `Pinned: ${exactTime(createDateTimeUTC)}`,
            })),
          ]}
        />
      </div>
      {value.data !== undefined && value.data !== null && (
        <JsonTree value={value.data} label="webhook" onPick={onInsert} />
      )}
    </div>
  )
}
