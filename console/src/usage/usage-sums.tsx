import type { Column } from '../ui/data-table.tsx'
import { type MeasureId, measures, type UsageItem } from './measures.ts'

type AccountSum = Record<MeasureId, number> & { accountId: string; email: string }

/** One row an account. What is stored is a state, not a flow: its last figure counts. */
export function sumByAccount(items: readonly UsageItem[]): AccountSum[] {
  const sums = new Map<string, AccountSum & { lastAt: string }>()
  for (const item of items) {
    const { accountId, email, startDateTimeUTC } = item
    const sum = sums.get(accountId)
    if (!sum) {
      sums.set(accountId, { ...item, lastAt: startDateTimeUTC, accountId, email })
      continue
    }
    for (const { id } of measures) if (id !== 'storedBytes') sum[id] += item[id]
    if (startDateTimeUTC > sum.lastAt) {
      sum.lastAt = startDateTimeUTC
      sum.storedBytes = item.storedBytes
    }
  }
  return [...sums.values()].toSorted((a, b) => b.runs - a.runs)
}

export type Point = { start: number; value: number }

/** One point a day or month, those without any use included. */
export function sumByTime(
  items: readonly UsageItem[],
  measure: MeasureId,
  span: { days: number; bucket: 'day' | 'month' },
): Point[] {
  const sums = new Map<number, number>()
  for (const item of items) {
    const start = Date.parse(item.startDateTimeUTC)
    sums.set(start, (sums.get(start) ?? 0) + item[measure])
  }
  return startsOf(span).map((start) => ({ start, value: sums.get(start) ?? 0 }))
}

function startsOf({ days, bucket }: { days: number; bucket: 'day' | 'month' }): number[] {
  const now = new Date()
  const length = bucket === 'day' ? days : 13
  return Array.from({ length }, (_, index) => {
    const back = length - 1 - index
    return bucket === 'day'
      ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - back)
      : Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)
  })
}

export const usageColumns: readonly Column<AccountSum>[] = [
  { id: 'email', label: 'Account', cell: (row) => <span className="font-medium">{row.email}</span> },
  ...measures.map(
    ({ id, label, text }, index): Column<AccountSum> => ({
      id,
      label,
      width: '112px',
      align: 'end',
      ...(index > 1 ? { hideBelow: index > 3 ? 'desktop' : 'phone' } : {}),
      cell: (row) => text(row[id]),
    }),
  ),
]
