import { FastForward, RotateCcw, SkipForward } from 'lucide-react'
import { runNumberOf, useAction } from '../api.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import type { InboxItem } from './inbox-item.ts'

/** What a person can do with one request, by where it stands. */
export function RequestActions({
  workflowId,
  item,
  size,
}: {
  workflowId: string
  item: InboxItem
  size: 'small' | 'normal'
}) {
  const isInHistory = 'deleteFromQueueDateTimeUTC' in item
  const changes = ['GetWebhookQueue', 'GetWebhookHistory'] as const
  const params = { params: { webhookId: item.webhookId } }
  const skip = useAction('WebhookSkip', {
    changes,
    onDone: ({ answer }) =>
      answer
        ? toast.done('The request was skipped. It is in the history and can be replayed.')
        : toast.error('It is being processed right now and cannot be skipped.'),
  })
  const retry = useAction('WebhookRetry', {
    changes,
    onDone: ({ answer }) =>
      answer ? toast.done('Retrying now.') : toast.error('It is no longer waiting for a retry.'),
  })
  const replay = useAction('RunWorkflow', {
    changes: [...changes, 'GetRunHistory'],
    onDone: ({ headers }) => {
      const number = runNumberOf(headers)
      toast.done(
        'The request is running again with its original payload.',
        number !== undefined && (
          <LinkButton size="small" to="/workflows/$id/runs/$number" params={{ id: workflowId, number: String(number) }}>
            Run {number}
          </LinkButton>
        ),
      )
    },
  })
  return (
    <span className="flex justify-end gap-1.5">
      {!isInHistory && item.status === 'Failed' && (
        <Button size={size} icon={FastForward} isBusy={retry.isPending} onClick={() => retry.mutate(params)}>
          Retry now
        </Button>
      )}
      {!isInHistory && item.status !== 'Processing' && (
        <Button
          size={size}
          tone={size === 'small' ? 'quiet' : 'secondary'}
          icon={SkipForward}
          isBusy={skip.isPending}
          onClick={() => skip.mutate(params)}
        >
          Skip
        </Button>
      )}
      {isInHistory && (
        <Button
          size={size}
          icon={RotateCcw}
          isBusy={replay.isPending}
          onClick={() => replay.mutate({ body: { workflowId, webhookId: item.webhookId } })}
        >
          Replay
        </Button>
      )}
    </span>
  )
}
