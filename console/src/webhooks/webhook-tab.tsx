// The webhook of a workflow: where to send, how to sign, on or off, and the requests that came.
import { Webhook } from 'lucide-react'
import { useState } from 'react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Copy } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { toast } from '../ui/toast.tsx'
import { SignatureRecipe } from './signature-recipe.tsx'
import { WebhookInbox } from './webhook-inbox.tsx'
import { WebhookSettings } from './webhook-settings.tsx'

export function WebhookTab({ workflow }: { workflow: WorkflowDetail }) {
  const [shown, setShown] = useState<Answer<'WebhookSettingsEnable'>>()
  const settings = useOperation('WebhookSettings', { params: { id: workflow.id } })
  const changes = ['WebhookSettings', 'Workflow', 'WorkflowsSearch'] as const
  const enable = useAction('WebhookSettingsEnable', { changes, onDone: ({ answer }) => setShown(answer) })
  const disable = useAction('WebhookSettingsDisable', { changes, onDone: ({ answer }) => toast.done(answer) })
  const turnOn = () => enable.mutate({ params: { id: workflow.id }, body: {} })
  if (settings.data === null && !shown) {
    return (
      <Panel>
        <Empty
          icon={Webhook}
          title="No webhook yet"
          action={
            <Button tone="primary" isBusy={enable.isPending} onClick={turnOn}>
              Enable webhook
            </Button>
          }
        >
          Other systems send requests to an address of this workflow. Each is stored before it is answered, and then
          starts a run.
        </Empty>
      </Panel>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {shown?.secret && (
        <Notice kind="warning" title="The secret is shown once. Copy it now.">
          <p className="my-1.5">
            <Copy text={shown.secret} />
          </p>
          <p>{shown.message}</p>
        </Notice>
      )}
      {enable.error && <Notice kind="error">{sentenceOf(enable.error)}</Notice>}
      <Panel className="flex flex-col gap-3 p-5">
        <div className="flex items-center gap-3">
          {workflow.webhook.isActive ? (
            <Chip tone="green" shape="dot">
              Active
            </Chip>
          ) : (
            <Chip tone="grey" shape="square">
              Disabled
            </Chip>
          )}
          <div className="ml-auto flex gap-2">
            {workflow.webhook.isActive ? (
              <Button
                isBusy={disable.isPending}
                onClick={() => disable.mutate({ params: { id: workflow.id }, query: {} })}
              >
                Disable
              </Button>
            ) : (
              <Button tone="primary" isBusy={enable.isPending} onClick={turnOn}>
                Enable webhook
              </Button>
            )}
          </div>
        </div>
        <div>
          <p className="mb-1 text-label font-medium text-muted">Address</p>
          <Copy text={workflow.webhook.url} />
        </div>
        <SignatureRecipe url={workflow.webhook.url} secret={shown?.secret} />
        {settings.data && <WebhookSettings workflowId={workflow.id} settings={settings.data} />}
      </Panel>
      <WebhookInbox workflowId={workflow.id} />
    </div>
  )
}
