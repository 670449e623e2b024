// One thing that the new version asks for: a value, or which of the customer's connections stands behind an application.
import { listSizeMax } from '@patchbay/sdk'
import { Link } from '@tanstack/react-router'
import { useOperationAs } from '../api.ts'
import { useApplications } from '../applications/applications.ts'
import { ValueField } from '../definition/value-field.tsx'
import { Select } from '../ui/field.tsx'
import type { Need } from './decisions.ts'

type Props = {
  need: Need
  /** Where it is a variable of one block: two blocks may ask for the same. */
  blockName: string | undefined
  accountId: string
  value: unknown
  onChange: (value: unknown) => void
}

export function NeededValue(props: Props) {
  const { need, blockName, value, onChange } = props
  if (need.kind === 'application') return <NeededConnection {...props} />
  return (
    <ValueField
      declared={{
        type: need.type ?? 'text',
        required: true,
        displayName: `${need.displayName || need.name}${blockName ? ` (${blockName})` : ''}`,
        options: need.options?.map((option) => ({ value: option, label: option })),
      }}
      value={value}
      onChange={onChange}
    />
  )
}

function NeededConnection({ need, accountId, value, onChange }: Props) {
  const application = useApplications().data?.find(({ shortName }) => isSame(shortName, need.name))
  const registered = useOperationAs(accountId, 'RegApplicationsSearch', { body: { size: listSizeMax } })
  const choices = registered.data?.regApplications.filter(({ shortName }) => isSame(shortName, need.name))
  return (
    <Select
      label={application?.name ?? need.name}
      hint={
        choices?.length === 0 && application ? (
          <>
            The customer has not connected it yet.{' '}
            <Link
              to="/catalogue"
              search={{ as: accountId, register: application.id }}
              className="text-accent underline underline-offset-2"
            >
              Register it for the customer
            </Link>
          </>
        ) : undefined
      }
      value={typeof value === 'string' ? value : ''}
      onChange={({ target }) => onChange(target.value)}
      options={[
        { value: '', label: choices?.length === 0 ? 'Nothing registered yet' : 'Choose …' },
        ...(choices ?? []).map(({ id, tagText, name }) => ({ value: id, label: tagText || name })),
      ]}
    />
  )
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
