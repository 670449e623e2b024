// For partners: the customers, those in trouble first.
import { Link } from '@tanstack/react-router'
import type { Answer } from '../api.ts'
import { session } from '../session/session.ts'
import { useSwitchAccount } from '../shell/account-switch.tsx'
import { Button } from '../ui/button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { useStore } from '../ui/store.ts'

type Customer = NonNullable<Answer<'Overview'>['accounts']>[number]
const shownMax = 20

export function CustomerTable({ accounts }: { accounts: readonly Customer[] }) {
  const switchTo = useSwitchAccount()
  const own = useStore(session)?.myAccount.id
  const count = (value: number, tone: string) => (
    <span className={value > 0 ? `font-semibold ${tone}` : 'text-faint'}>{value}</span>
  )
  const columns: Column<Customer>[] = [
    {
      id: 'email',
      label: 'Account',
      cell: ({ email }) => <span className="block max-w-[40ch] truncate font-medium max-sm:max-w-[16ch]">{email}</span>,
    },
    { id: 'failing', label: 'Failing', align: 'end', width: '80px', cell: ({ failing }) => count(failing, 'text-red') },
    {
      id: 'faulted',
      label: 'Faulted',
      align: 'end',
      width: '80px',
      hideBelow: 'phone',
      cell: ({ faulted }) => count(faulted, 'text-magenta'),
    },
    {
      id: 'queued',
      label: 'Queued',
      align: 'end',
      width: '80px',
      hideBelow: 'phone',
      cell: ({ queued }) => count(queued, 'text-amber'),
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      width: '120px',
      cell: ({ accountId }) =>
        accountId === own ? (
          <span className="text-muted">You</span>
        ) : (
          <Button size="small" onClick={() => switchTo(accountId)}>
            Manage as …
          </Button>
        ),
    },
  ]
  return (
    <Section title="Accounts">
      <Panel>
        <DataTable
          label="Accounts"
          columns={columns}
          rows={accounts.slice(0, shownMax)}
          keyOf={({ accountId }) => accountId}
        />
        {accounts.length > shownMax && (
          <Link
            to="/accounts"
            className="block rounded-b-lg border-t border-line px-4 py-2 text-table font-medium text-muted -outline-offset-2 hover:bg-raised hover:text-text"
          >
            Show all {accounts.length.toLocaleString('en')}
          </Link>
        )}
      </Panel>
    </Section>
  )
}
