import { useState } from 'react'
import { sentenceOf } from '../api.ts'
import { TextArea, TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { placeRefusal } from '../ui/refusal.ts'
import { toast } from '../ui/toast.tsx'
import { useSetValue } from './vault-operations.ts'

/** What the service calls the fields in its sentences. */
const fieldNames = { key: ['key'], value: ['jsonData'] }

export function VaultDialog({ workflowId, onClose }: { workflowId: string | undefined; onClose: () => void }) {
  const [key, setKey] = useState('')
  const [text, setText] = useState('')
  const change = useSetValue(workflowId, () => {
    toast.done(`${key} was set.`)
    onClose()
  })
  const { value, kind } = read(text)
  const refused = placeRefusal(change.error ? sentenceOf(change.error) : undefined, fieldNames)
  return (
    <FormDialog
      title="Set a value"
      submit="Save"
      isBusy={change.isPending}
      refusal={refused.beside}
      onSubmit={() => change.mutate({ key, jsonData: value })}
      onClose={onClose}
    >
      <TextField
        label="Key"
        value={key}
        onChange={(event) => setKey(event.target.value)}
        error={refused.at.key}
        maxLength={512}
        required
        autoFocus
        autoComplete="off"
        inputClassName="font-mono"
      />
      <TextArea
        label="Value"
        isMono
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={refused.at.value}
        hint={text === '' ? 'JSON or plain text. Replaces an existing value.' : `Stored as ${kind}.`}
        autoComplete="off"
        required
      />
    </FormDialog>
  )
}

/** What parses is JSON; everything else is a text. The hint under the field says which. */
function read(text: string): { value: unknown; kind: string } {
  try {
    const value: unknown = JSON.parse(text)
    return { value, kind: Array.isArray(value) ? 'a JSON list' : value === null ? 'null' : `a JSON ${typeof value}` }
  } catch {
    return { value: text, kind: 'text' }
  }
}
