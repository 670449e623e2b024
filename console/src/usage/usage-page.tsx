// What accounts used, per day or month: as a chart, a table and a file for billing.
import { getRouteApi } from '@tanstack/react-router'
import { ChartColumn, Download } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useStore } from '../ui/store.ts'
import { toast } from '../ui/toast.tsx'
import { downloadUsage } from './download-usage.ts'
import { type Measure, measures } from './measures.ts'
import { UsageChart } from './usage-chart.tsx'
import { sumByAccount, sumByTime, usageColumns } from './usage-sums.tsx'

const route = getRouteApi('/usage')
const spans = {
  '30d': { label: 'Last 30 days', days: 30, bucket: 'day' },
  '90d': { label: 'Last 90 days', days: 90, bucket: 'day' },
  '12m': { label: 'Last 12 months', days: 365, bucket: 'month' },
} as const

export function UsagePage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: Partial<typeof filters>) =>
    void navigate({ search: (before: object) => ({ ...before, ...changes }), replace: true })
  const mayReachOthers = useStore(session)?.myAccount.role !== 'User'
  const span = spans[(filters.span ?? '30d') as keyof typeof spans] ?? spans['30d']
  const measure = measures.find(({ id }) => id === filters.measure) ?? (measures[0] as Measure)
  const body = { ...rangeOf(span.days), bucket: span.bucket, ...(filters.all ? { acrossAccounts: true } : {}) }
  const usage = useOperation('Usage', { body }, { keepPrevious: true })
  const [isSaving, setIsSaving] = useState(false)
  const save = async () => {
    setIsSaving(true)
    await downloadUsage(body).catch((error: unknown) => toast.error(sentenceOf(error)))
    setIsSaving(false)
  }
  const items = usage.data?.items
  return (
    <Page
      title="Usage"
      lead="Every run counts once. Days are in UTC."
      actions={
        <Button icon={Download} isBusy={isSaving} onClick={() => void save()}>
          Download CSV
        </Button>
      }
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          label="Time"
          isLabelHidden
          className="w-44"
          value={filters.span ?? '30d'}
          onChange={(event) => change({ span: event.target.value } as Partial<typeof filters>)}
          options={Object.entries(spans).map(([value, { label }]) => ({ value, label }))}
        />
        <Select
          label="Shown"
          isLabelHidden
          className="w-44"
          value={measure.id}
          onChange={(event) => change({ measure: event.target.value } as Partial<typeof filters>)}
          options={measures.map(({ id, label }) => ({ value: id, label }))}
        />
        {mayReachOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined } as Partial<typeof filters>)}
          />
        )}
      </search>
      {!usage.error && items?.length !== 0 && (
        <Panel className="mb-4 p-5">
          {items ? (
            <UsageChart measure={measure} points={sumByTime(items, measure.id, span)} />
          ) : (
            <Skeleton width="100%" height={220} />
          )}
        </Panel>
      )}
      <ListPanel
        label="Usage by account"
        columns={usageColumns}
        rows={items && sumByAccount(items)}
        keyOf={(row) => row.accountId}
        skeletonRows={3}
        empty={
          <Empty icon={ChartColumn} title="No usage in this period">
            Runs, calls, webhooks and e-mails are counted here as they happen.
          </Empty>
        }
        query={usage}
        sentence={sentenceOf}
      />
    </Page>
  )
}

/** Whole days, so that the same range is asked for all day long. */
function rangeOf(days: number): { searchFrom: string; searchTo: string } {
  const today = new Date()
  const end = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1)
  return { searchFrom: new Date(end - days * 86_400_000).toISOString(), searchTo: new Date(end).toISOString() }
}
