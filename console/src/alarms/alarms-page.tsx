// What is green but wrong: runs that succeed and still do not do what is expected of them.
import { getRouteApi, Link } from '@tanstack/react-router'
import { BellOff, BellRing, Plus } from 'lucide-react'
import { useAccountEmails } from '../accounts/account-emails.ts'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { StateText } from '../ui/chip.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { ExpectationsPanel } from './expectations-panel.tsx'

const route = getRouteApi('/alarms')
const size = 50
type Alarm = Answer<'Alarms'>['items'][number]

export function AlarmsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<typeof filters>(navigate)
  const mayReachOthers = useStore(session)?.myAccount.role !== 'User'
  const emails = useAccountEmails(filters.all === true)
  const page = (filters.page ?? 1) - 1
  const alarms = useOperation(
    'Alarms',
    { body: { page, size, isOpen: !filters.closed, ...(filters.all ? { acrossAccounts: true } : {}) } },
    { keepPrevious: true, refetchInterval: 10_000 },
  )
  return (
    <Page
      title="Alarms"
      lead="What looks wrong although no run fails: too few items, no run for a day, no webhook since yesterday."
      actions={
        !filters.expect && (
          <LinkButton to="/alarms" search={{ expect: 'choose' }} tone="primary" icon={Plus}>
            Set expectations
          </LinkButton>
        )
      }
    >
      {filters.expect && (
        <ExpectationsPanel
          workflowId={filters.expect === 'choose' ? undefined : filters.expect}
          onChoose={(id) => change({ expect: id })}
          onClose={() => change({ expect: undefined })}
        />
      )}
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <FilterChip label="Open" isOn={!filters.closed} onChange={() => change({ closed: undefined })} />
        <FilterChip label="Closed" isOn={filters.closed === true} onChange={() => change({ closed: true })} />
        {mayReachOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined })}
          />
        )}
      </search>
      <ListPanel
        label="Alarms"
        columns={columnsWith(filters.all ? emails : undefined)}
        rows={alarms.data?.items}
        keyOf={(alarm) => alarm.id}
        skeletonRows={4}
        empty={
          filters.closed ? (
            <Empty icon={BellOff} title="No closed alarms" />
          ) : (
            <Empty icon={BellRing} title="No open alarms">
              Say what you expect of a workflow, such as “a run succeeds every 26 hours”. Patchbay alerts you when the
              expectation is not met, even if every run is green.
            </Empty>
          )
        }
        query={alarms}
        sentence={sentenceOf}
        paging={{ page, size, total: alarms.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
    </Page>
  )
}

/** Across accounts, each alarm says whose it is and opens there. */
function columnsWith(emails: ReadonlyMap<string, string> | undefined): readonly Column<Alarm>[] {
  return [
    {
      id: 'state',
      label: 'State',
      width: '140px',
      hideBelow: 'phone',
      cell: (alarm) => <AlarmState alarm={alarm} />,
    },
    {
      id: 'message',
      label: 'Alarm',
      cell: (alarm) => <AlarmText alarm={alarm} email={emails && (emails.get(alarm.accountId) ?? alarm.accountId)} />,
    },
    {
      id: 'raised',
      label: 'Raised',
      width: '110px',
      hideBelow: 'phone',
      cell: (alarm) => <Time iso={alarm.raisedDateTimeUTC} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      width: '1%',
      align: 'end',
      cell: (alarm) => <AlarmActions alarm={alarm} />,
    },
  ]
}

function AlarmState({ alarm }: { alarm: Alarm }) {
  if (!alarm.isOpen) {
    return (
      <StateText tone="grey" shape="square">
        {alarm.clearedDateTimeUTC ? 'Cleared' : 'Dismissed'}
      </StateText>
    )
  }
  return alarm.acknowledgedDateTimeUTC ? (
    <StateText tone="amber" shape="bars">
      Acknowledged
    </StateText>
  ) : (
    <StateText tone="magenta" shape="bolt">
      Open
    </StateText>
  )
}

function AlarmText({ alarm, email }: { alarm: Alarm; email: string | undefined }) {
  return (
    <div className="min-w-0 py-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Link
          to="/workflows/$id"
          params={{ id: alarm.workflowId }}
          search={{ tab: 'runs', ...(email === undefined ? {} : { as: alarm.accountId }) }}
          className="font-medium hover:text-accent hover:underline"
        >
          {alarm.workflowName}
        </Link>
        {email !== undefined && <span className="text-label text-muted">{email}</span>}
      </p>
      <p className="text-muted [overflow-wrap:anywhere]">{alarm.message}</p>
      <p className="flex gap-3 text-label text-muted sm:hidden">
        <AlarmState alarm={alarm} />
        <Time iso={alarm.raisedDateTimeUTC} />
      </p>
    </div>
  )
}

function AlarmActions({ alarm }: { alarm: Alarm }) {
  const act = useAction('AlarmAction', { changes: ['Alarms', 'Overview'] })
  if (!alarm.isOpen) return null
  const perform = (action: 'acknowledge' | 'dismiss') => act.mutate({ params: { id: alarm.id }, body: { action } })
  return (
    <span className="flex justify-end gap-1.5 max-sm:flex-col">
      {!alarm.acknowledgedDateTimeUTC && (
        <Button
          size="small"
          isBusy={act.isPending}
          onClick={() => perform('acknowledge')}
          title="Keeps it open and shows others that somebody is on it."
        >
          Acknowledge
        </Button>
      )}
      <Button
        size="small"
        tone="quiet"
        isBusy={act.isPending}
        onClick={() => perform('dismiss')}
        title="Closes it. It is raised again only after the expectation has been met again."
      >
        Dismiss
      </Button>
    </span>
  )
}
