// For partners: the customers, those in trouble first.
import type { Answer } from '../api.ts'
import { useSwitchAccount } from '../shell/account-switch.tsx'
import { Button } from '../ui/button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'

type Customer = NonNullable<Answer<'Overview'>['accounts']>[number]
const shownMax = 20

export function CustomerTable({ accounts }: { accounts: readonly Customer[] }) {
  const switchTo = useSwitchAccount()
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
      cell: ({ accountId }) => (
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
      </Panel>
    </Section>
  )
}
