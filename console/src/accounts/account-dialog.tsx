import { type FormEvent, useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { useStore } from '../ui/store.ts'
import { toast } from '../ui/toast.tsx'
import { type Account, roleSentences } from './account-state.tsx'

type RoleName = keyof typeof roleSentences
const ranks = Object.keys(roleSentences) as RoleName[]

/** A new account, or the name and role of one that exists. */
export function AccountDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const ownRole = useStore(session)?.myAccount.role ?? 'User'
  const [email, setEmail] = useState('')
  const [firstName, setFirstName] = useState(account?.firstName ?? '')
  const [lastName, setLastName] = useState(account?.lastName ?? '')
  const [roleName, setRoleName] = useState<RoleName>(account?.role ?? 'User')
  const [isActivated, setIsActivated] = useState(false)
  const create = useAction('AccountCreate', {
    changes: ['ManagedAccounts', 'AccountsSearch'],
    onDone: () => {
      toast.done(isActivated ? `${email} can be used now.` : `An activation link is on its way to ${email}.`)
      onClose()
    },
  })
  const update = useAction('AccountUpdate', {
    changes: ['ManagedAccounts', 'AccountsSearch'],
    onDone: () => {
      toast.done('The account was changed.')
      onClose()
    },
  })
  // Nobody gives a role above the own one, and Managers are made from accounts that exist.
  const offered = ranks.filter(
    (name) => ranks.indexOf(name) <= ranks.indexOf(ownRole) && (account || name !== 'Manager'),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (account) update.mutate({ params: { id: account.id }, body: { firstName, lastName, roleName } })
    else create.mutate({ body: { email, firstName, lastName, roleName, ...(isActivated ? { activated: true } : {}) } })
  }
  const refusal = create.error ?? update.error
  return (
    <Dialog title={account ? account.email : 'New account'} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {!account && (
          <TextField
            label="E-mail"
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            required
            autoFocus
          />
        )}
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="First name"
            value={firstName}
            onChange={(event) => setFirstName(event.target.value)}
            required
          />
          <TextField
            label="Last name"
            value={lastName}
            onChange={(event) => setLastName(event.target.value)}
            required
          />
        </div>
        <Select
          label="Role"
          hint={roleSentences[roleName]}
          value={roleName}
          onChange={(event) => setRoleName(event.target.value as RoleName)}
          options={offered.map((name) => ({ value: name, label: name }))}
        />
        {!account && ownRole === 'Manager' && (
          <Checkbox
            label="Activate at once"
            hint="Without a mailed link. You can act for the account; its owner sets a password with “Forgot password”."
            checked={isActivated}
            onChange={(event) => setIsActivated(event.target.checked)}
          />
        )}
        {refusal && (
          <p role="alert" className="text-red">
            {sentenceOf(refusal)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={create.isPending || update.isPending}>
            {account ? 'Save' : 'Create account'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
