// Whose things one sees. Whoever manages other accounts can act for one of them; the strip across the page says so for as long as it lasts.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Building2, Check, ChevronsUpDown } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Answer, call, operationQuery } from '../api.ts'
import { useManagedAccountId } from '../session/managed-account.ts'
import { session } from '../session/session.ts'
import { SearchBox } from '../ui/search-box.tsx'
import { useStore } from '../ui/store.ts'

type ManagedAccount = Answer<'ManagedAccounts'>['accounts'][number]

/** Leaves every page of the account that was shown: its ids mean nothing for another one. */
export function useSwitchAccount(): (id: string | undefined) => void {
  const navigate = useNavigate()
  return (id) => void navigate({ to: '/', search: { as: id } })
}

export function useManagedAccount() {
  const id = useManagedAccountId()
  return useQuery({ ...operationQuery('Authenticate', {}), enabled: id !== undefined, staleTime: 60_000 }).data
    ?.managedAccount
}

export function AccountSwitch() {
  const own = useStore(session)?.myAccount
  const managed = useManagedAccount()
  const list = useRef<HTMLDivElement>(null)
  const [term, setTerm] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const found = useQuery({
    queryKey: ['own', 'switch', term],
    queryFn: () => call('ManagedAccounts', { body: { page: 0, size: 20, ...(term ? { searchTerm: term } : {}) } }),
    enabled: isOpen,
  })
  const shown = managed ?? own
  const name = (
    <span className="min-w-0 text-left">
      <span className="block max-w-56 truncate text-table leading-5 font-medium">{shown?.organizationName}</span>
      <span className="-mt-0.5 block max-w-56 truncate text-label text-muted">{shown?.email}</span>
    </span>
  )
  if (!own || own.role === 'User') return <div className="flex items-center gap-2 px-2">{name}</div>
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={(event) => {
          const at = event.currentTarget.getBoundingClientRect()
          list.current?.showPopover()
          if (list.current) {
            list.current.style.left = `${at.left}px`
            list.current.style.top = `${at.bottom + 4}px`
          }
          list.current?.querySelector('input')?.focus()
        }}
        className="flex h-10 min-w-0 items-center gap-2 rounded-md px-2 hover:bg-raised"
      >
        {name}
        <span className="sr-only">Manage as …</span>
        <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-faint" />
      </button>
      <div
        ref={list}
        popover="auto"
        onToggle={(event) => setIsOpen(event.newState === 'open')}
        className="fixed inset-auto m-0 w-80 max-w-[calc(100vw-16px)] rounded-lg border border-line-strong bg-panel p-2 text-text shadow-float"
      >
        <SearchBox value={term} onSearch={setTerm} label="Search accounts" placeholder="Manage as …" />
        <AccountChoices
          accounts={found.data?.accounts}
          currentId={shown?.id}
          ownId={own.id}
          onChosen={() => list.current?.hidePopover()}
        />
      </div>
    </>
  )
}

function AccountChoices({
  accounts,
  currentId,
  ownId,
  onChosen,
}: {
  accounts: readonly ManagedAccount[] | undefined
  currentId: string | undefined
  ownId: string
  onChosen: () => void
}) {
  const switchTo = useSwitchAccount()
  if (accounts?.length === 0) return <p className="px-2 py-3 text-table text-muted">No account matches.</p>
  return (
    <ul className="mt-2 max-h-80 overflow-y-auto">
      {accounts?.map((account) => (
        <li key={account.id}>
          <button
            type="button"
            aria-label={account.id === ownId ? `Your own account ${account.email}` : `Manage as ${account.email}`}
            onClick={() => {
              switchTo(account.id === ownId ? undefined : account.id)
              onChosen()
            }}
            className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-raised"
          >
            <Building2 size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-faint" />
            <span className="min-w-0 flex-1">
              <span className="block truncate text-table">
                {account.firstName} {account.lastName}
              </span>
              <span className="block truncate text-label text-muted">{account.email}</span>
            </span>
            {account.id === currentId && <Check size={15} aria-hidden className="text-accent" />}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Lies across the whole page, so that nobody changes a customer's things by mistake. */
export function ManagingStrip() {
  const id = useManagedAccountId()
  const managed = useManagedAccount()
  const switchTo = useSwitchAccount()
  if (id === undefined) return null
  return (
    <section
      aria-label="Managed account"
      className="sticky top-0 z-30 flex h-8 items-center justify-center gap-3 bg-amber-soft px-4 text-table text-amber"
    >
      <span className="min-w-0 truncate">
        You are managing <strong className="font-semibold">{managed?.email ?? '…'}</strong>
        {managed && <span className="max-sm:hidden"> of {managed.organizationName}</span>}
      </span>
      <button
        type="button"
        onClick={() => switchTo(undefined)}
        className="shrink-0 rounded-sm font-semibold underline underline-offset-2"
      >
        Stop managing
      </button>
    </section>
  )
}
