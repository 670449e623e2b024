import { lazy, Suspense, useMemo } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { Panel } from '../ui/panel.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { durationText } from '../ui/time.tsx'

const StackedBars = lazy(() => import('../ui/stacked-bars.tsx').then((module) => ({ default: module.StackedBars })))
const hourMs = 3_600_000
const series = [
  { name: 'Ready', color: '--green' },
  { name: 'Stopped', color: '--grey' },
  { name: 'Error', color: '--red' },
] as const

export function RunChart({ isAcross }: { isAcross: boolean }) {
  // Whole hours, so that the question stays the same for an hour and its answer is reused.
  const searchTo = new Date(Math.ceil(Date.now() / hourMs) * hourMs).toISOString()
  const searchFrom = new Date(Date.parse(searchTo) - 24 * hourMs).toISOString()
  const statistics = useOperation(
    'RunStatistics',
    { body: { searchFrom, searchTo, bucket: 'hour', ...(isAcross ? { acrossAccounts: true } : {}) } },
    { refetchInterval: 15_000, keepPrevious: true },
  )
  const data = statistics.data
  const bars = useMemo(
    () => ({
      times: (data?.buckets ?? []).map((bucket) => Date.parse(bucket.startDateTimeUTC) / 1000),
      values: [
        (data?.buckets ?? []).map(({ ready }) => ready),
        (data?.buckets ?? []).map(({ stopped }) => stopped),
        (data?.buckets ?? []).map(({ error }) => error),
      ],
    }),
    [data],
  )
  return (
    <Panel className="p-4">
      <Loaded query={statistics} sentence={sentenceOf} skeleton={<Skeleton width="100%" height={228} />}>
        {({ total }) => (
          <>
            <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
              <Figure label="Ready" color="--green" value={total.ready.toLocaleString('en')} />
              <Figure label="Error" color="--red" value={total.error.toLocaleString('en')} />
              <Figure label="Stopped" color="--grey" value={total.stopped.toLocaleString('en')} />
              <Figure label="Webhooks" value={total.webhooks.toLocaleString('en')} />
              <Figure label="Median" value={total.p50Ms === null ? '–' : durationText(total.p50Ms)} />
              <Figure label="95 %" value={total.p95Ms === null ? '–' : durationText(total.p95Ms)} />
            </dl>
            <Suspense fallback={<Skeleton width="100%" height={180} />}>
              <StackedBars
                label={`Runs per hour: ${total.ready} Ready, ${total.error} Error, ${total.stopped} Stopped in 24 hours`}
                times={bars.times}
                values={bars.values}
                series={series}
                height={180}
              />
            </Suspense>
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Figure({ label, value, color }: { label: string; value: string; color?: string }) {
  return (
    <div>
      <dt className="flex items-center gap-1.5 text-label text-muted">
        {color && <span className="size-2 rounded-sm" style={{ background: `var(${color})` }} aria-hidden />}
        {label}
      </dt>
      <dd className="text-section font-semibold tabular-nums">{value}</dd>
    </div>
  )
}
