// A session that ended: the person signs in over the page, and whatever was typed under it is still there.
import { useState } from 'react'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useStore } from '../ui/store.ts'
import { isRenewing, session, signInAgain } from './session.ts'

export function SessionPanel() {
  const isOpen = useStore(isRenewing)
  return isOpen ? <SignInAgain /> : null
}

function SignInAgain() {
  const known = useStore(session)?.myAccount.email ?? ''
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async () => {
    setIsBusy(true)
    setError(undefined)
    await signInAgain(email, password).catch((refusal: Error) => setError(refusal.message))
    setIsBusy(false)
  }
  return (
    <FormDialog title="Sign in again" submit="Sign in" isBusy={isBusy} onSubmit={() => void submit()}>
      <p className="text-muted">Your session has ended. Sign in to continue. Everything you typed is still here.</p>
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        required
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        required
        autoFocus
        error={error}
      />
    </FormDialog>
  )
}
