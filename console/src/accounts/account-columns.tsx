import { Archive, Lock, LockOpen, LogIn, Mail, MoreHorizontal, Pencil } from 'lucide-react'
import { useAction } from '../api.ts'
import { session } from '../session/session.ts'
import { useSwitchAccount } from '../shell/account-switch.tsx'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { useStore } from '../ui/store.ts'
import { toast } from '../ui/toast.tsx'
import { type Account, AccountStateText, roleSentences } from './account-state.tsx'

export function accountColumns(given: {
  isManager: boolean
  onEdit: (account: Account) => void
}): readonly Column<Account>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      cell: (account) => (
        <div className="min-w-0 py-1">
          <span className="block truncate font-medium">
            {account.firstName} {account.lastName}
          </span>
          <span className="block truncate text-label text-muted">{account.email}</span>
        </div>
      ),
    },
    {
      id: 'state',
      label: 'State',
      width: '150px',
      hideBelow: 'phone',
      cell: (account) => <AccountStateText state={account.accountState} />,
    },
    {
      id: 'role',
      label: 'Role',
      width: '130px',
      hideBelow: 'phone',
      cell: (account) => <span title={roleSentences[account.role]}>{account.role}</span>,
    },
    {
      id: 'tags',
      label: 'Tags',
      width: '160px',
      hideBelow: 'desktop',
      cell: (account) => (
        <span className="flex flex-wrap gap-1">
          {account.tags.map((tag) => (
            <span key={tag} className="rounded-sm bg-raised px-1.5 text-label text-muted">
              {tag}
            </span>
          ))}
        </span>
      ),
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      width: '160px',
      align: 'end',
      cell: (account) => <AccountActions account={account} {...given} />,
    },
  ]
}

function AccountActions({
  account,
  isManager,
  onEdit,
}: {
  account: Account
  isManager: boolean
  onEdit: (account: Account) => void
}) {
  const switchTo = useSwitchAccount()
  const own = useStore(session)?.myAccount.id
  const setState = useAction('AccountState', {
    changes: ['ManagedAccounts'],
    onDone: () => toast.done('The account was changed.'),
  })
  const resend = useAction('ResendActivation', {
    onDone: () => toast.done(`A new activation link is on its way to ${account.email}.`),
  })
  const become = (accountState: Account['accountState']) =>
    setState.mutate({ params: { id: account.id }, body: { accountState } })
  const isOwn = account.id === own
  const items: MenuItem[] = []
  if (account.accountState === 'inActive') {
    items.push({
      label: 'Resend activation link',
      icon: Mail,
      onSelect: () => resend.mutate({ params: { id: account.id } }),
    })
  }
  if (isManager) {
    items.push({ label: 'Edit', icon: Pencil, onSelect: () => onEdit(account) })
    if (!isOwn) {
      items.push('separator')
      if (account.accountState !== 'active')
        items.push({ label: 'Activate', icon: LockOpen, onSelect: () => become('active') })
      if (account.accountState === 'active') items.push({ label: 'Lock', icon: Lock, onSelect: () => become('locked') })
      if (account.accountState !== 'archived')
        items.push({ label: 'Archive', icon: Archive, isDanger: true, onSelect: () => become('archived') })
    }
  }
  return (
    <span className="flex items-center justify-end gap-1">
      {isOwn ? (
        <span className="px-2 text-label text-faint">You</span>
      ) : (
        <Button
          size="small"
          icon={LogIn}
          aria-label={`Manage as ${account.email}`}
          onClick={() => switchTo(account.id)}
        >
          Manage as
        </Button>
      )}
      {items.length > 0 && (
        <Menu
          label={`More for ${account.email}`}
          trigger={<MoreHorizontal size={16} aria-hidden />}
          triggerClassName="inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-raised hover:text-text"
          items={items}
        />
      )}
    </span>
  )
}
