// What is wrong, oldest first, each with the one button that leads out.
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, call, useAction } from '../api.ts'
import { session } from '../session/session.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'
import { Panel } from '../ui/panel.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

export type Attention = Answer<'Overview'>['attention'][number]
const shownFirst = 5

const looks: Record<Attention['kind'], { tone: ChipTone; shape: ChipShape; word: string }> = {
  accountInactive: { tone: 'amber', shape: 'bars', word: 'Inactive' },
  alarm: { tone: 'amber', shape: 'dot', word: 'Alarm' },
  'connection.faulted': { tone: 'magenta', shape: 'bolt', word: 'Faulted' },
  'connection.waiting': { tone: 'grey', shape: 'ring', word: 'Pending' },
  'mail.failed': { tone: 'red', shape: 'cross', word: 'E-mail failed' },
  'mail.held': { tone: 'grey', shape: 'bars', word: 'E-mail held' },
  'storage.full': { tone: 'red', shape: 'square', word: 'Storage' },
  'webhook.givenUp': { tone: 'red', shape: 'cross', word: 'Given up' },
  'webhook.waiting': { tone: 'amber', shape: 'ring', word: 'Queue delayed' },
  'workflow.failing': { tone: 'red', shape: 'cross', word: 'Error' },
  'workflow.paused': { tone: 'amber', shape: 'bars', word: 'Paused' },
}

/** What stops work comes before what waits for somebody; within that, the oldest first. */
function weightOf({ kind }: Attention): number {
  return ['mail.held', 'connection.waiting', 'webhook.waiting'].includes(kind) ? 1 : 0
}

/** `isAcross`: the list goes across several accounts, which are named. */
export function AttentionList({ items, isAcross }: { items: readonly Attention[]; isAcross: boolean }) {
  const [isWhole, setIsWhole] = useState(false)
  const own = useStore(session)?.myAccount.id
  if (items.length === 0) {
    return (
      <p className="flex items-center gap-2.5 rounded-lg border border-line bg-panel px-4 py-3.5">
        <CircleCheck size={18} strokeWidth={1.75} aria-hidden className="text-green" />
        Nothing needs your attention. Everything runs as it should.
      </p>
    )
  }
  const inOrder = items.toSorted(
    (a, b) => weightOf(a) - weightOf(b) || ((a.sinceDateTimeUTC ?? '') < (b.sinceDateTimeUTC ?? '') ? -1 : 1),
  )
  return (
    <Panel className="divide-y divide-line">
      {inOrder.slice(0, isWhole ? undefined : shownFirst).map((item) => (
        <div
          key={`${item.kind}${item.targetId}`}
          className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-table"
        >
          <span className="w-28 shrink-0 max-sm:flex-1">
            <StateText {...(looks[item.kind] ?? looks.alarm)}>{(looks[item.kind] ?? looks.alarm).word}</StateText>
          </span>
          <span className="min-w-0 flex-1 basis-64 max-sm:order-1 max-sm:basis-full">
            <span className="flex min-w-0 items-baseline gap-2">
              <span className="truncate font-medium">{item.title}</span>
              {isAcross && (
                <span className="truncate text-label text-muted">
                  {item.title === item.accountName ? item.accountEmail : `${item.accountName} · ${item.accountEmail}`}
                </span>
              )}
            </span>
            <span className="block truncate text-muted" title={item.message}>
              {item.message}
            </span>
          </span>
          <span className="text-label text-muted">
            <Time iso={item.sinceDateTimeUTC} />
          </span>
          <WayOut item={item} as={item.accountId === own ? undefined : item.accountId} />
        </div>
      ))}
      {items.length > shownFirst && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="w-full rounded-b-lg px-4 py-2 text-left text-table font-medium text-muted -outline-offset-2 hover:bg-raised hover:text-text"
        >
          {isWhole ? 'Show fewer' : `Show all ${items.length}`}
        </button>
      )}
    </Panel>
  )
}

/** `as` opens the thing in the account it belongs to. */
function WayOut({ item, as }: { item: Attention; as: string | undefined }): ReactNode {
  const workflow = { to: '/workflows/$id', params: { id: item.targetId } } as const
  const managed = as === undefined ? {} : { as }
  switch (item.kind) {
    case 'connection.faulted':
    case 'connection.waiting':
      return (
        <LinkButton size="small" to="/connections" search={{ id: item.targetId, ...managed }}>
          {item.kind === 'connection.waiting' ? 'Connect' : 'Reconnect'}
        </LinkButton>
      )
    case 'workflow.paused':
      return as === undefined ? (
        <ResumeButton id={item.targetId} />
      ) : (
        <LinkButton size="small" {...workflow} search={{ tab: 'runs', ...managed }}>
          Show
        </LinkButton>
      )
    case 'workflow.failing':
      return <LastFailure workflowId={item.targetId} managed={managed} />
    case 'webhook.givenUp':
      return (
        <LinkButton size="small" {...workflow} search={{ tab: 'webhook', requests: 'history', ...managed }}>
          Show
        </LinkButton>
      )
    case 'webhook.waiting':
      return (
        <LinkButton size="small" {...workflow} search={{ tab: 'webhook', ...managed }}>
          Show
        </LinkButton>
      )
    default:
      return (
        <LinkButton size="small" to={pageFor(item.kind) as '/'} search={managed}>
          Show
        </LinkButton>
      )
  }
}

function pageFor(kind: Attention['kind']): string {
  if (kind === 'accountInactive') return '/accounts'
  return kind === 'alarm' ? '/alarms' : kind === 'storage.full' ? '/usage' : '/mail'
}

function ResumeButton({ id }: { id: string }) {
  const resume = useAction('ResumeWorkflow', {
    changes: ['Overview', 'WorkflowsSearch', 'Workflow'],
    onDone: () => toast.done('Automatic runs resumed.'),
  })
  return (
    <Button size="small" isBusy={resume.isPending} onClick={() => resume.mutate({ params: { id } })}>
      Resume
    </Button>
  )
}

/** Straight to the run that failed: its failed block is open there. */
function LastFailure({ workflowId, managed }: { workflowId: string; managed: { as?: string } }) {
  const navigate = useNavigate()
  const show = useMutation({
    mutationFn: async () => {
      const headers = managed.as === undefined ? {} : { ManagedAccountId: managed.as }
      const workflow = await call('Workflow', { params: { id: workflowId }, query: {} }, { headers })
      await navigate({
        to: '/workflows/$id/runs/$number',
        params: { id: workflowId, number: String(workflow?.lastRunNumber) },
        search: managed,
      })
    },
  })
  return (
    <Button size="small" isBusy={show.isPending} onClick={() => show.mutate()}>
      Show
    </Button>
  )
}
