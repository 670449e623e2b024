// What happens in the service, as it happens: one stream per tab. An event makes stale what it touches; pages that show it read it anew.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { session } from './session.ts'

const touched: Record<string, readonly string[]> = {
  'run.started': ['Workflow', 'GetRunHistory', 'WorkflowsSearch', 'GetWebhookQueue'],
  'run.block': ['Workflow'],
  'run.ended': [
    'Workflow',
    'GetRunHistory',
    'WorkflowsSearch',
    'Overview',
    'Incidents',
    'RunStatistics',
    'GetBlockResult',
    'GetBlockCalls',
    'GetWebhookQueue',
    'GetWebhookHistory',
  ],
  'queue.changed': ['GetWebhookQueue', 'GetWebhookHistory', 'WebhookSettings', 'Overview', 'Incidents'],
  'connection.faulted': ['RegApplicationsSearch', 'Overview', 'Incidents'],
  'connection.recovered': ['RegApplicationsSearch', 'Overview', 'Incidents'],
  'workflow.changed': [
    'Workflow',
    'WorkflowsSearch',
    'WorkflowRevisions',
    'Overview',
    'Incidents',
    'GetTemplateUpgrade',
  ],
  'alarm.raised': ['Alarms', 'Overview', 'Incidents'],
  'alarm.cleared': ['Alarms', 'Overview', 'Incidents'],
}
/** Many events of one moment are one reading. */
const gatherMs = 400
const reopenMs = 5000

export function useLiveUpdates(): void {
  const queries = useQueryClient()
  useEffect(() => follow(queries), [queries])
}

function follow(queries: QueryClient): () => void {
  const stale = new Set<string>()
  let source: EventSource
  let wasCut = false
  let reopening: ReturnType<typeof setTimeout> | undefined
  const flush = setInterval(() => {
    if (stale.size === 0 || document.hidden) return
    const names = new Set(stale)
    stale.clear()
    void queries.invalidateQueries({ predicate: ({ queryKey }) => names.has(String(queryKey[1])) })
  }, gatherMs)
  const open = () => {
    const isPartner = session.get()?.myAccount.role !== 'User'
    source = new EventSource(isPartner ? '/api/Stream?acrossAccounts=true' : '/api/Stream')
    for (const [event, names] of Object.entries(touched)) {
      source.addEventListener(event, () => {
        for (const name of names) stale.add(name)
      })
    }
    // What happened while nobody listened may be gone: everything that is shown is read once.
    source.onopen = () => {
      if (wasCut) for (const name of Object.values(touched).flat()) stale.add(name)
      wasCut = false
    }
    // The browser reconnects by itself, except after a refusal: an ended session, for example.
    source.onerror = () => {
      wasCut = true
      if (source.readyState === EventSource.CLOSED) reopening = setTimeout(open, reopenMs)
    }
  }
  open()
  return () => {
    clearInterval(flush)
    clearTimeout(reopening)
    source.close()
  }
}
