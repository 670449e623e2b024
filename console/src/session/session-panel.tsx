// A session that ended: the person signs in over the page, and whatever was typed under it is still there.
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
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
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setError(undefined)
    await signInAgain(email, password).catch((refusal: Error) => setError(refusal.message))
    setIsBusy(false)
  }
  return (
    <Dialog title="Sign in again" onClose={() => {}} width={380}>
      <p className="mb-4 text-muted">Your session has ended. Sign in to go on; the page keeps what you typed.</p>
      <form onSubmit={submit} className="flex flex-col gap-3">
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
        <Button type="submit" tone="primary" isBusy={isBusy} className="mt-1">
          Sign in
        </Button>
      </form>
    </Dialog>
  )
}
