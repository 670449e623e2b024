import { useState } from 'react'
import { type Answer, sentenceOf, useAction } from '../api.ts'
import { TextArea, TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { placeRefusal } from '../ui/refusal.ts'
import { toast } from '../ui/toast.tsx'
import type { ApiKey } from './api-key.ts'

/** What the service calls the fields in its sentences. */
const fieldNames = { label: ['label'], addresses: ['ipRestriction'], expires: ['expiresDateTimeUTC'] }

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
    isShownInPlace: true,
    onDone: ({ answer }) => {
      if (answer) onMade(answer)
      onClose()
    },
  })
  const update = useAction('ApiKeyUpdate', {
    changes: ['ApiKeys'],
    isShownInPlace: true,
    onDone: () => {
      toast.done('The key was changed, effective immediately.')
      onClose()
    },
  })
  const error = create.error ?? update.error
  const refused = placeRefusal(error ? sentenceOf(error) : undefined, fieldNames)
  const submit = () => {
    const body = {
      label: label.trim(),
      ipRestriction: addresses.split(/[\s,]+/).filter((one) => one !== ''),
      expiresDateTimeUTC: expires === '' ? null : `${expires}T23:59:59Z`,
    }
    if (apiKey) update.mutate({ params: { id: apiKey.id }, body })
    else create.mutate({ body })
  }
  return (
    <FormDialog
      title={apiKey ? 'Edit key' : 'New key'}
      submit={apiKey ? 'Save' : 'Create key'}
      isBusy={create.isPending || update.isPending}
      refusal={refused.beside}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Label"
        placeholder="nightly export"
        hint="What uses this key, so that you know later what to revoke."
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        error={refused.at.label}
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
        error={refused.at.addresses}
      />
      <TextField
        label="Expires"
        isOptional
        type="date"
        hint="The key expires at the end of this day (UTC)."
        value={expires}
        onChange={(event) => setExpires(event.target.value)}
        error={refused.at.expires}
      />
    </FormDialog>
  )
}
