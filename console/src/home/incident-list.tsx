// What is wrong, grouped by its cause, each with the one button that leads out.
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'
import { counted } from '../ui/counted.ts'
import { Panel } from '../ui/panel.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { BulkDialog } from '../workflows/bulk-dialog.tsx'

export type Incident = Answer<'Incidents'>['items'][number]
const shownFirst = 8
const namesMax = 3

type Look = { tone: ChipTone; shape: ChipShape; word: string }
const unknownLook: Look = { tone: 'amber', shape: 'dot', word: 'Attention' }
const looks: { readonly [kind: string]: Look } = {
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
  failedItems: { tone: 'red', shape: 'cross', word: 'Failed items' },
}

/** `isAcross`: the list goes across several accounts, which are named. */
export function IncidentList({
  items,
  total,
  isAcross,
}: {
  items: readonly Incident[]
  total: number
  isAcross: boolean
}) {
  const [isWhole, setIsWhole] = useState(false)
  if (items.length === 0) {
    return (
      <p className="flex items-center gap-2.5 rounded-lg border border-line bg-panel px-4 py-3.5">
        <CircleCheck size={18} strokeWidth={1.75} aria-hidden className="text-green" />
        Nothing needs your attention. Everything runs as it should.
      </p>
    )
  }
  return (
    <Panel className="divide-y divide-line">
      <ul className="divide-y divide-line">
        {items.slice(0, isWhole ? undefined : shownFirst).map((incident) => (
          <IncidentLine key={incident.id} incident={incident} isAcross={isAcross} />
        ))}
      </ul>
      {items.length > shownFirst && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="w-full rounded-b-lg px-4 py-2 text-left text-table font-medium text-muted -outline-offset-2 hover:bg-raised hover:text-text"
        >
          {isWhole ? 'Show fewer' : `Show all ${total}`}
        </button>
      )}
    </Panel>
  )
}

function IncidentLine({ incident, isAcross }: { incident: Incident; isAcross: boolean }) {
  const look = looks[incident.kind] ?? unknownLook
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-table">
      <span className="w-28 shrink-0 max-sm:flex-1">
        <StateText {...look}>{look.word}</StateText>
      </span>
      <span className="min-w-0 flex-1 basis-64 max-sm:order-1 max-sm:basis-full">
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium">{incident.title}</span>
          {isAcross && <span className="truncate text-label text-muted">{customersOf(incident)}</span>}
        </span>
        <span className="block truncate text-muted" title={incident.message}>
          {incident.message}
        </span>
        {incident.kind === 'connection.faulted' && incident.workflows.length > 0 && (
          <span className="block truncate text-label text-muted">
            Pauses {counted(incident.workflows.length, 'workflow')}:{' '}
            {namesIn(incident.workflows.map((it) => it.workflowName))}
          </span>
        )}
      </span>
      <span className="text-label text-muted">
        <Time iso={incident.sinceDateTimeUTC} />
      </span>
      <WayOut incident={incident} isAcross={isAcross} />
    </li>
  )
}

function namesIn(names: readonly string[]): string {
  const shown = [...new Set(names)]
  const rest = shown.length - namesMax
  return rest > 0 ? `${shown.slice(0, namesMax).join(', ')} and ${rest} more` : shown.join(', ')
}

function customersOf({ accounts, title }: Incident): string {
  const [first] = accounts
  if (accounts.length !== 1 || !first) return namesIn(accounts.map(({ accountName }) => accountName))
  return title === first.accountName ? first.accountEmail : `${first.accountName} · ${first.accountEmail}`
}

/** Opens a thing in the account it belongs to. */
function useScopeOf() {
  const own = useStore(session)?.myAccount.id
  return (accountId: string | undefined) => (accountId === undefined || accountId === own ? {} : { as: accountId })
}

function WayOut({ incident, isAcross }: { incident: Incident; isAcross: boolean }): ReactNode {
  const scopeOf = useScopeOf()
  const [isAsked, setIsAsked] = useState(false)
  const { action, workflows, accounts, regApplicationId } = incident
  const scope = scopeOf(accounts[0]?.accountId)
  if (action === 'reconnect' && regApplicationId !== null) {
    return (
      <LinkButton size="small" to="/connections" search={{ id: regApplicationId, ...scope } as never}>
        {incident.kind === 'connection.waiting' ? 'Connect' : 'Reconnect'}
      </LinkButton>
    )
  }
  if (action === 'retry' || action === 'resume') {
    const verb = action === 'retry' ? 'Retry' : 'Resume'
    return (
      <span className="flex gap-2">
        {workflows.length === 1 && action === 'retry' && <LastFailure workflow={workflows[0]} />}
        <Button size="small" onClick={() => setIsAsked(true)}>
          {workflows.length === 1
            ? verb
            : action === 'retry'
              ? `Retry ${workflows.length} failed`
              : `Resume ${workflows.length}`}
        </Button>
        {isAsked && (
          <BulkDialog
            action={action === 'retry' ? 'retryFailed' : 'resume'}
            choice={{ workflowIds: workflows.map(({ workflowId }) => workflowId) }}
            isAcross={isAcross}
            onClose={() => setIsAsked(false)}
            onDone={() => {}}
          />
        )}
      </span>
    )
  }
  return <OpenButton incident={incident} scope={accounts.length === 1 ? scope : {}} isAcross={isAcross} />
}

function OpenButton({ incident, scope, isAcross }: { incident: Incident; scope: object; isAcross: boolean }) {
  const { kind, workflows } = incident
  const [only] = workflows
  if (kind.startsWith('webhook.') && only && workflows.length === 1) {
    const tab = kind === 'webhook.givenUp' ? { tab: 'webhook', requests: 'history' } : { tab: 'webhook' }
    return (
      <LinkButton
        size="small"
        to="/workflows/$id"
        params={{ id: only.workflowId }}
        search={{ ...tab, ...scope } as never}
      >
        Open
      </LinkButton>
    )
  }
  const all = isAcross && !('as' in scope) ? { all: true } : {}
  if (kind.startsWith('webhook.')) {
    return (
      <LinkButton size="small" to="/workflows" search={{ ...all, webhook: true, sort: 'queued', ...scope } as never}>
        Open
      </LinkButton>
    )
  }
  return (
    <LinkButton size="small" to={pageFor(kind) as '/'} search={{ ...all, ...scope } as never}>
      Open
    </LinkButton>
  )
}

function pageFor(kind: Incident['kind']): string {
  if (kind === 'accountInactive') return '/accounts'
  if ((kind as string) === 'failedItems') return '/failed-items'
  return kind === 'alarm' ? '/alarms' : kind === 'storage.full' ? '/usage' : '/mail'
}

/** Straight to the run that failed: its failed block is open there. */
function LastFailure({ workflow }: { workflow: Incident['workflows'][number] | undefined }) {
  const scopeOf = useScopeOf()
  if (!workflow) return null
  return (
    <LinkButton
      size="small"
      to="/workflows/$id"
      params={{ id: workflow.workflowId }}
      search={{ tab: 'runs', status: 'Error', ...scopeOf(workflow.accountId) } as never}
    >
      Show
    </LinkButton>
  )
}

export function useIncidents(isPartner: boolean) {
  return useOperation(
    'Incidents',
    { body: { page: 0, size: 100, ...(isPartner ? { acrossAccounts: true } : {}) } },
    { refetchInterval: 10_000 },
  )
}
