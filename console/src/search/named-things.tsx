// Workflows, connections and accounts whose name fits, above what was found inside runs.
import { Link } from '@tanstack/react-router'
import { Building2, PlugZap, Workflow } from 'lucide-react'
import type { ReactNode } from 'react'
import { useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { useSwitchAccount } from '../shell/account-switch.tsx'
import { useStore } from '../ui/store.ts'

const size = 6
const itemClass =
  'flex h-9 max-w-80 items-center gap-2 rounded-md border border-line bg-panel px-3 text-table hover:border-line-strong hover:bg-raised'

export function NamedThings({ term }: { term: string }) {
  const mayReachOthers = useStore(session)?.myAccount.role !== 'User'
  const switchTo = useSwitchAccount()
  const workflows = useOperation('WorkflowsSearch', { body: { size, searchTerm: term } }, { keepPrevious: true })
  const connections = useOperation(
    'RegApplicationsSearch',
    { body: { size, searchTerm: term } },
    { keepPrevious: true },
  )
  const accounts = useOperation(
    'ManagedAccounts',
    { body: { size, searchTerm: term } },
    { keepPrevious: true, enabled: mayReachOthers },
  )
  const found: ReactNode[] = [
    ...(workflows.data?.workflows ?? []).map((workflow) => (
      <li key={workflow.id}>
        <Link to="/workflows/$id" params={{ id: workflow.id }} className={itemClass}>
          <Workflow size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
          <span className="truncate">{workflow.name}</span>
        </Link>
      </li>
    )),
    ...(connections.data?.regApplications ?? []).map((connection) => (
      <li key={connection.id}>
        <Link to="/connections" search={{ id: connection.id }} className={itemClass}>
          <PlugZap size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
          <span className="truncate">{connection.tagText || connection.name}</span>
        </Link>
      </li>
    )),
    ...(accounts.data?.accounts ?? []).map((account) => (
      <li key={account.id}>
        <button
          type="button"
          aria-label={`Manage as ${account.email}`}
          onClick={() => switchTo(account.id)}
          className={itemClass}
        >
          <Building2 size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
          <span className="truncate">{account.email}</span>
        </button>
      </li>
    )),
  ]
  if (found.length === 0) return null
  return (
    <section aria-label="By name" className="mb-6">
      <h2 className="mb-3 text-section font-semibold">By name</h2>
      <ul className="flex flex-wrap gap-2">{found}</ul>
    </section>
  )
}
