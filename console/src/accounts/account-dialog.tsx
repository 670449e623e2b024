import { useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import { session } from '../session/session.ts'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { placeRefusal } from '../ui/refusal.ts'
import { useStore } from '../ui/store.ts'
import { toast } from '../ui/toast.tsx'
import { type Account, roleSentences } from './account-state.tsx'

type RoleName = keyof typeof roleSentences
/** Empty: it stays as it is. */
type MayActivate = '' | 'yes' | 'no'
const ranks = Object.keys(roleSentences) as RoleName[]

/** What the service calls the fields in its sentences. */
const fieldNames = {
  email: ['email', 'e-mail'],
  firstName: ['firstName'],
  lastName: ['lastName'],
  role: ['roleName', 'role'],
  mayActivate: ['canActivateAccounts'],
}

/** A new account, or the name and role of one that exists. */
export function AccountDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const ownRole = useStore(session)?.myAccount.role ?? 'User'
  const [email, setEmail] = useState('')
  const [firstName, setFirstName] = useState(account?.firstName ?? '')
  const [lastName, setLastName] = useState(account?.lastName ?? '')
  const [roleName, setRoleName] = useState<RoleName>(account?.role ?? 'User')
  const [isActivated, setIsActivated] = useState(false)
  const [mayActivate, setMayActivate] = useState<MayActivate>('')
  const { create, update } = useSaving(onClose)
  const submit = () => {
    const names = { firstName, lastName, roleName }
    if (account)
      update.mutate({
        params: { id: account.id },
        body: { ...names, ...(mayActivate === '' ? {} : { canActivateAccounts: mayActivate === 'yes' }) },
      })
    else create.mutate({ body: { email, ...names, ...(isActivated ? { activated: true } : {}) } })
  }
  const error = create.error ?? update.error
  const refused = placeRefusal(error ? sentenceOf(error) : undefined, fieldNames)
  return (
    <FormDialog
      title={account ? account.email : 'New account'}
      submit={account ? 'Save' : 'Create account'}
      isBusy={create.isPending || update.isPending}
      refusal={refused.beside}
      onSubmit={submit}
      onClose={onClose}
    >
      {!account && (
        <TextField
          label="E-mail"
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          required
          autoFocus
          error={refused.at.email}
        />
      )}
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="First name"
          value={firstName}
          onChange={(event) => setFirstName(event.target.value)}
          error={refused.at.firstName}
          required
        />
        <TextField
          label="Last name"
          value={lastName}
          onChange={(event) => setLastName(event.target.value)}
          error={refused.at.lastName}
          required
        />
      </div>
      <Select
        label="Role"
        hint={roleSentences[roleName]}
        error={refused.at.role}
        value={roleName}
        onChange={(event) => setRoleName(event.target.value as RoleName)}
        options={rolesToGive(ownRole, account !== undefined).map((name) => ({ value: name, label: name }))}
      />
      {!account && ownRole === 'Manager' && (
        <Checkbox
          label="Activate at once"
          hint="The account works right away. Its owner gets an e-mail with a link to set a password."
          checked={isActivated}
          onChange={(event) => setIsActivated(event.target.checked)}
        />
      )}
      {account && <MayActivateField value={mayActivate} onChange={setMayActivate} error={refused.at.mayActivate} />}
    </FormDialog>
  )
}

/** Nobody gives a role above the own one, and Managers are made from accounts that exist. */
function rolesToGive(ownRole: RoleName, isExisting: boolean): RoleName[] {
  return ranks.filter((name) => ranks.indexOf(name) <= ranks.indexOf(ownRole) && (isExisting || name !== 'Manager'))
}

function useSaving(onSaved: () => void) {
  const changes = ['ManagedAccounts', 'AccountsSearch'] as const
  const create = useAction('AccountCreate', {
    changes,
    isShownInPlace: true,
    onDone: (_done, { body: { email, activated } }) => {
      toast.done(activated ? `${email} can be used now.` : `An activation link is on its way to ${email}.`)
      onSaved()
    },
  })
  const update = useAction('AccountUpdate', {
    changes,
    isShownInPlace: true,
    onDone: () => {
      toast.done('The account was changed.')
      onSaved()
    },
  })
  return { create, update }
}

function MayActivateField({
  value,
  onChange,
  error,
}: {
  value: MayActivate
  onChange: (value: MayActivate) => void
  error: string | undefined
}) {
  return (
    <Select
      label="May activate accounts"
      hint="Without the link e-mailed to their owners. You can grant this only if you have it yourself."
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value as MayActivate)}
      options={[
        { value: '', label: 'Unchanged' },
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ]}
    />
  )
}
