// Is anything wrong, and what do I do? Then: what ran, what waits, what comes next.
import { Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { sentenceOf, useOperation } from '../api.ts'
import { scheduleWords } from '../schedules/schedule-words.ts'
import { useReachesOthers } from '../session/reach.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { Time } from '../ui/time.tsx'
import { CustomerTable } from './customer-table.tsx'
import { Figures } from './figures.tsx'
import { IncidentList, useIncidents } from './incident-list.tsx'
import { RunChart } from './run-chart.tsx'

export function HomePage() {
  const isPartner = useReachesOthers()
  const overview = useOperation(
    'Overview',
    { body: isPartner ? { acrossAccounts: true } : {} },
    { refetchInterval: 10_000 },
  )
  const incidents = useIncidents(isPartner)
  const isAcross = isPartner && (overview.data?.accounts?.length ?? 0) > 1
  const total = overview.data ? overview.data.workflows.deployed + overview.data.workflows.inDevelopment : undefined
  const isBeginning = total === 0 && overview.data?.attention.length === 0
  return (
    <Page title="Home">
      <Section title={isBeginning ? 'Start here' : 'Needs attention'}>
        <Loaded
          query={incidents}
          sentence={sentenceOf}
          skeleton={
            <Panel className="p-4">
              <SkeletonLines count={3} />
            </Panel>
          }
        >
          {(data) =>
            isBeginning ? <Beginning /> : <IncidentList items={data.items} total={data.total} isAcross={isAcross} />
          }
        </Loaded>
      </Section>
      <div className="grid grid-cols-1 items-start gap-x-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="min-w-0">
          <Section title="Runs in the last 24 hours">
            <RunChart isAcross={isPartner} />
          </Section>
          {isAcross && <CustomerTable accounts={overview.data?.accounts ?? []} />}
        </div>
        <div className="min-w-0">
          <Section title="At a glance">
            <Figures overview={overview.data ?? undefined} isAcross={isAcross} />
          </Section>
          <Upcoming isAcross={isAcross} />
        </div>
      </div>
    </Page>
  )
}

function Beginning() {
  return (
    <Panel>
      <Empty
        icon={Workflow}
        title="Build your first workflow"
        action={
          <>
            <LinkButton to="/templates" tone="primary">
              Choose a template
            </LinkButton>
            <LinkButton to="/connections">Connections</LinkButton>
          </>
        }
      >
        Choose a template, connect the applications it needs, and deploy it. Hello world works with nothing else
        installed.
      </Empty>
    </Panel>
  )
}

function Upcoming({ isAcross }: { isAcross: boolean }) {
  const scheduled = useOperation(
    'WorkflowsSearch',
    { body: { isScheduled: true, workflowState: ['deployed'], size: 200 } },
    { refetchInterval: 30_000 },
  )
  const next = (scheduled.data?.workflows ?? [])
    .filter((workflow) => workflow.nextRunDateTimeUTC !== null)
    .toSorted((a, b) => ((a.nextRunDateTimeUTC as string) < (b.nextRunDateTimeUTC as string) ? -1 : 1))
    .slice(0, 6)
  return (
    <Section title={isAcross ? 'Coming up in your account' : 'Coming up'}>
      <Panel className="divide-y divide-line">
        {scheduled.data && next.length === 0 && (
          <p className="px-4 py-3 text-table text-muted">Nothing is scheduled.</p>
        )}
        {next.map((workflow) => (
          <Link
            key={workflow.id}
            to="/workflows/$id"
            params={{ id: workflow.id }}
            search={{ tab: 'schedule' }}
            className="flex items-center gap-3 px-4 py-2 text-table hover:bg-raised"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{workflow.name}</span>
              <span className="block truncate text-label text-muted">
                {scheduleWords(workflow.scheduleFrequency ?? '')}
              </span>
            </span>
            <span className="text-label text-muted">
              <Time iso={workflow.nextRunDateTimeUTC} />
            </span>
          </Link>
        ))}
      </Panel>
    </Section>
  )
}
