import { Link } from '@tanstack/react-router'
import { ArrowUpCircle } from 'lucide-react'
import { useState } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { CountsBar } from './counts-bar.tsx'
import { StateChip } from './outcome.tsx'

type Summary = Answer<'TemplateUpgrades'>['items'][number]
const size = 20

/** Upgrades so far, the newest first. */
export function UpgradeList() {
  const [page, setPage] = useState(0)
  const upgrades = useOperation(
    'TemplateUpgrades',
    { body: { page, size } },
    { keepPrevious: true, refetchInterval: 5000 },
  )
  const templates = useOperation('WorkflowTemplates', { query: { filterByHostedTemplates: true } }).data ?? []
  const nameOf = (id: string) => templates.find((template) => template.id === id)?.name ?? 'Template'
  return (
    <Section title="Upgrades so far">
      <ListPanel
        label="Upgrades"
        columns={columnsFor(nameOf)}
        rows={upgrades.data?.items}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={ArrowUpCircle} title="No upgrade yet">
            Publish a new version of a template, then choose it above to see what it would do to each customer.
          </Empty>
        }
        query={upgrades}
        sentence={sentenceOf}
        paging={{ page, size, total: upgrades.data?.total, onPage: setPage }}
      />
    </Section>
  )
}

function columnsFor(nameOf: (id: string) => string): Column<Summary>[] {
  return [
    {
      id: 'template',
      label: 'Template',
      cell: (upgrade) => (
        <Link
          to="/upgrades/$id"
          params={{ id: upgrade.id }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {nameOf(upgrade.workflowTemplateId)} · version {upgrade.toVersion}
        </Link>
      ),
    },
    { id: 'state', label: 'State', width: '130px', cell: ({ state }) => <StateChip state={state} /> },
    {
      id: 'progress',
      label: 'Workflows',
      width: '280px',
      hideBelow: 'phone',
      cell: ({ counts }) => (
        <div className="py-1">
          <CountsBar counts={counts} />
        </div>
      ),
    },
    {
      id: 'started',
      label: 'Started',
      width: '120px',
      align: 'end',
      hideBelow: 'phone',
      cell: ({ createDateTimeUTC }) => (
        <span className="text-muted">
          <Time iso={createDateTimeUTC} />
        </span>
      ),
    },
  ]
}
