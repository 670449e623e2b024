import { type FormEvent, useState } from 'react'
import { type Answer, sentenceOf, useAction } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import type { ApiKey } from './keys-page.tsx'

/** A new key, or the label, addresses and expiry of one that exists. */
export function KeyDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey?: ApiKey
  onClose: () => void
  onMade: (made: Answer<'ApiKeyCreate'>) => void
}) {
  const [label, setLabel] = useState(apiKey?.label ?? '')
  const [addresses, setAddresses] = useState(apiKey?.ipRestriction.join('\n') ?? '')
  const [expires, setExpires] = useState(apiKey?.expiresDateTimeUTC?.slice(0, 10) ?? '')
  const create = useAction('ApiKeyCreate', {
    changes: ['ApiKeys'],
    onDone: ({ answer }) => {
      if (answer) onMade(answer)
      onClose()
    },
  })
  const update = useAction('ApiKeyUpdate', {
    changes: ['ApiKeys'],
    onDone: () => {
      toast.done('The key was changed. It holds from now on.')
      onClose()
    },
  })
  const refusal = create.error ?? update.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      label: label.trim(),
      ipRestriction: addresses.split(/[\s,]+/).filter((one) => one !== ''),
      expiresDateTimeUTC: expires === '' ? null : `${expires}T23:59:59Z`,
    }
    if (apiKey) update.mutate({ params: { id: apiKey.id }, body })
    else create.mutate({ body })
  }
  return (
    <Dialog title={apiKey ? 'Edit key' : 'New key'} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Label"
          placeholder="nightly export"
          hint="What uses this key, so that you know later what to revoke."
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          autoFocus
        />
        <TextArea
          label="Allowed from"
          isOptional
          isMono
          placeholder={'203.0.113.7\n198.51.100.0/24'}
          hint="Addresses or CIDR ranges, one per line. Empty: any address."
          value={addresses}
          onChange={(event) => setAddresses(event.target.value)}
        />
        <TextField
          label="Expires"
          isOptional
          type="date"
          hint="The key stops at the end of this day, UTC."
          value={expires}
          onChange={(event) => setExpires(event.target.value)}
        />
        {refusal && (
          <p role="alert" className="text-red">
            {sentenceOf(refusal)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={create.isPending || update.isPending}>
            {apiKey ? 'Save' : 'Make key'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
