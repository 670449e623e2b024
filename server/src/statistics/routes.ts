import { type HandlersOf, TextFile } from '../http/index.ts'
import { listIncidents } from './incidents.ts'
import { getOverview, type OverviewDeps } from './overview.ts'
import { getRunStatistics } from './run-statistics.ts'
import { getUsage } from './usage.ts'
import { toCsv } from './usage-csv.ts'

export function statisticsRoutes(deps: OverviewDeps): HandlersOf<'RunStatistics' | 'Overview' | 'Incidents' | 'Usage'> {
  return {
    RunStatistics: ({ principal, body }) => getRunStatistics(deps, principal, body),
    Overview: ({ principal, body }) => getOverview(deps, principal, body.acrossAccounts),
    Incidents: ({ principal, body }) => listIncidents(deps, principal, body),
    Usage: async ({ principal, query, body }) => {
      const items = await getUsage(deps, principal, body)
      if (query.format !== 'csv') return { items }
      const name = `usage-${body.searchFrom.slice(0, 10)}-${body.searchTo.slice(0, 10)}.csv`
      return new TextFile({ name, contentType: 'text/csv; charset=utf-8', text: toCsv(items) })
    },
  }
}
