// What is green but wrong: runs that succeed and still do not do what is expected of them.
import { getRouteApi, Link } from '@tanstack/react-router'
import { BellOff, BellRing, Plus } from 'lucide-react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { StateText } from '../ui/chip.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { Panel } from '../ui/panel.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { ExpectationsPanel } from './expectations-panel.tsx'

const route = getRouteApi('/alarms')
const size = 50
type Alarm = Answer<'Alarms'>['items'][number]

export function AlarmsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: Partial<typeof filters>) =>
    void navigate({ search: (before: object) => ({ ...before, page: undefined, ...changes }) as never, replace: true })
  const mayReachOthers = useStore(session)?.myAccount.role !== 'User'
  const page = (filters.page ?? 1) - 1
  const alarms = useOperation(
    'Alarms',
    { body: { page, size, isOpen: !filters.closed, ...(filters.all ? { acrossAccounts: true } : {}) } },
    { keepPrevious: true, refetchInterval: 10_000 },
  )
  return (
    <Page
      title="Alarms"
      lead="Runs that succeed and are still wrong: too few items, none for a day, no webhook since yesterday."
      actions={
        !filters.expect && (
          <LinkButton to="/alarms" search={{ expect: 'choose' } as never} tone="primary" icon={Plus}>
            Set expectations
          </LinkButton>
        )
      }
    >
      {filters.expect && (
        <ExpectationsPanel
          workflowId={filters.expect === 'choose' ? undefined : filters.expect}
          onChoose={(id) => change({ expect: id } as Partial<typeof filters>)}
          onClose={() => change({ expect: undefined } as unknown as Partial<typeof filters>)}
        />
      )}
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <FilterChip
          label="Open"
          isOn={!filters.closed}
          onChange={() => change({ closed: undefined } as unknown as Partial<typeof filters>)}
        />
        <FilterChip
          label="Closed"
          isOn={filters.closed === true}
          onChange={() => change({ closed: true } as Partial<typeof filters>)}
        />
        {mayReachOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined } as Partial<typeof filters>)}
          />
        )}
      </search>
      {alarms.error && !alarms.data ? (
        <Notice kind="error">{sentenceOf(alarms.error)}</Notice>
      ) : (
        <Panel>
          <DataTable
            label="Alarms"
            columns={columns}
            rows={alarms.data?.items}
            keyOf={(alarm) => alarm.id}
            isRefreshing={alarms.isPlaceholderData}
            skeletonRows={4}
            empty={
              filters.closed ? (
                <Empty icon={BellOff} title="No closed alarms" />
              ) : (
                <Empty icon={BellRing} title="No open alarms">
                  Say what you expect of a workflow, such as “a run succeeds every 26 hours”. Patchbay tells you when
                  that is not so, even if every run is green.
                </Empty>
              )
            }
          />
          <Pagination
            page={page}
            size={size}
            total={alarms.data?.total}
            onPage={(next) => change({ page: next + 1 })}
          />
        </Panel>
      )}
    </Page>
  )
}

const columns: readonly Column<Alarm>[] = [
  {
    id: 'state',
    label: 'State',
    width: '140px',
    hideBelow: 'phone',
    cell: (alarm) =>
      !alarm.isOpen ? (
        <StateText tone="grey" shape="square">
          {alarm.clearedDateTimeUTC ? 'Cleared' : 'Dismissed'}
        </StateText>
      ) : alarm.acknowledgedDateTimeUTC ? (
        <StateText tone="amber" shape="bars">
          Acknowledged
        </StateText>
      ) : (
        <StateText tone="magenta" shape="bolt">
          Open
        </StateText>
      ),
  },
  {
    id: 'message',
    label: 'Alarm',
    cell: (alarm) => (
      <div className="min-w-0 py-1.5">
        <Link
          to="/workflows/$id"
          params={{ id: alarm.workflowId }}
          search={{ tab: 'runs' } as never}
          className="font-medium hover:text-accent hover:underline"
        >
          {alarm.workflowName}
        </Link>
        <p className="text-muted [overflow-wrap:anywhere]">{alarm.message}</p>
      </div>
    ),
  },
  { id: 'raised', label: 'Raised', width: '110px', cell: (alarm) => <Time iso={alarm.raisedDateTimeUTC} /> },
  {
    id: 'actions',
    label: 'Actions',
    isLabelHidden: true,
    width: '210px',
    align: 'end',
    cell: (alarm) => <AlarmActions alarm={alarm} />,
  },
]

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
          title="It stays open; others see that somebody is on it."
        >
          Acknowledge
        </Button>
      )}
      <Button
        size="small"
        tone="quiet"
        isBusy={act.isPending}
        onClick={() => perform('dismiss')}
        title="It closes, and rises again only after it was fine once."
      >
        Dismiss
      </Button>
    </span>
  )
}
