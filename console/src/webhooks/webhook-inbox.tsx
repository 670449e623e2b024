// The requests of one workflow: those that wait, in their true order, and those that are done; the payload of one beside them.
import { getRouteApi } from '@tanstack/react-router'
import { Inbox, Pause, Play, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { toast } from '../ui/toast.tsx'
import { inboxColumns } from './inbox-columns.tsx'
import type { InboxItem } from './inbox-item.ts'
import { RefusedList } from './refused-list.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { RequestDetail } from './request-detail.tsx'

const route = getRouteApi('/workflows/$id')
const size = 50
/** The stream says when something changed (session/live.ts); this is for a stream that was cut. */
const quietMs = 30_000
type View = Partial<Record<'requests' | 'request' | 'requestPage', string | undefined>>

/** What is shown stands in the address beside the tab of the workflow. */
function useView(): [View, (changes: View) => void] {
  const view = route.useSearch()
  const navigate = route.useNavigate()
  return [view, (changes) => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })]
}

export function WebhookInbox({ workflowId }: { workflowId: string }) {
  const [view, show] = useView()
  const isHistory = view.requests === 'history'
  const isRefused = view.requests === 'refused'
  const page = Math.max(0, Number(view.requestPage ?? 1) - 1)
  const parts = { params: { workflowId }, body: { page, size } }
  const queue = useOperation('GetWebhookQueue', parts, {
    keepPrevious: true,
    enabled: !isHistory && !isRefused,
    refetchInterval: quietMs,
  })
  const history = useOperation('GetWebhookHistory', parts, {
    keepPrevious: true,
    enabled: isHistory,
    refetchInterval: quietMs,
  })
  const shown = isHistory ? history : queue
  const items = shown.data?.items as readonly InboxItem[] | undefined
  const chosen = items?.find(({ webhookId }) => webhookId === view.request)
  return (
    <section aria-label="Requests">
      <InboxBar
        workflowId={workflowId}
        shown={isHistory ? 'history' : isRefused ? 'refused' : 'queue'}
        waiting={isHistory || isRefused ? undefined : queue.data?.length}
        onShow={show}
      />
      {isRefused ? (
        <RefusedList workflowId={workflowId} />
      ) : (
        <div
          className={classNames(
            'grid items-start gap-4',
            view.request && 'lg:grid-cols-[minmax(0,1fr)_minmax(360px,440px)]',
          )}
        >
          <div className={classNames('min-w-0', view.request && 'max-lg:hidden')}>
            <ListPanel
              label={isHistory ? 'History' : 'Queue'}
              columns={inboxColumns({
                workflowId,
                isHistory,
                isNarrow: view.request !== undefined,
                chosenId: view.request,
                onShow: (request) => show({ request }),
              })}
              rows={items}
              keyOf={(item) => item.webhookId}
              empty={isHistory ? <NoHistory /> : <NoQueue />}
              query={shown}
              sentence={sentenceOf}
              paging={{
                page,
                size,
                total: shown.data?.length,
                onPage: (next) => show({ requestPage: String(next + 1) }),
              }}
            />
          </div>
          {view.request && (
            <RequestDetail
              key={view.request}
              workflowId={workflowId}
              webhookId={view.request}
              item={chosen}
              onClose={() => show({ request: '' })}
            />
          )}
        </div>
      )}
    </section>
  )
}

function InboxBar({
  workflowId,
  shown,
  waiting,
  onShow,
}: {
  workflowId: string
  shown: 'queue' | 'history' | 'refused'
  waiting: number | undefined
  onShow: (changes: View) => void
}) {
  const [isAsked, setIsAsked] = useState(false)
  const settings = useOperation('WebhookSettings', { params: { id: workflowId } })
  const changed = { changes: ['WebhookSettings', 'GetWebhookQueue'] as const }
  const hold = useAction('WebhookQueueHold', { ...changed, onDone: ({ answer }) => toast.done(answer) })
  const release = useAction('WebhookQueueRelease', { ...changed, onDone: ({ answer }) => toast.done(answer) })
  const isHeld = settings.data?.isHeld === true
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <FilterChip
        label="Queue"
        isOn={shown === 'queue'}
        onChange={() => onShow({ requests: undefined, request: undefined, requestPage: undefined })}
      />
      <FilterChip
        label="History"
        isOn={shown === 'history'}
        onChange={() => onShow({ requests: 'history', request: undefined, requestPage: undefined })}
      />
      <FilterChip
        label="Refused"
        isOn={shown === 'refused'}
        onChange={() => onShow({ requests: 'refused', request: undefined, requestPage: undefined })}
      />
      {waiting !== undefined && waiting > 0 && (
        <span className="ml-1 text-muted tabular-nums">{waiting.toLocaleString('en')} waiting</span>
      )}
      {isHeld && (
        <Chip tone="amber" shape="bars">
          Held
        </Chip>
      )}
      <span className="ml-auto flex gap-2">
        {settings.data && isHeld && (
          <Button icon={Play} isBusy={release.isPending} onClick={() => release.mutate({ params: { workflowId } })}>
            Release
          </Button>
        )}
        {settings.data && !isHeld && (
          <Button
            icon={Pause}
            isBusy={hold.isPending}
            title="Requests are still accepted, but none starts until you release the queue."
            onClick={() => hold.mutate({ params: { workflowId } })}
          >
            Hold all
          </Button>
        )}
        {shown === 'history' && settings.data && (
          <Button icon={RotateCcw} onClick={() => setIsAsked(true)}>
            Replay several
          </Button>
        )}
      </span>
      {isAsked && <ReplayDialog workflowId={workflowId} onClose={() => setIsAsked(false)} />}
    </div>
  )
}

function NoQueue() {
  return (
    <Empty icon={Inbox} title="The queue is empty">
      Every accepted request has been processed. New ones appear here the moment they arrive.
    </Empty>
  )
}

function NoHistory() {
  return (
    <Empty icon={Inbox} title="No requests yet">
      Once a request has been processed or skipped, it moves here and can be replayed.
    </Empty>
  )
}
