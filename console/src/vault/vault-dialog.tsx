import { type FormEvent, useState } from 'react'
import { sentenceOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { useSetValue } from './vault-operations.ts'

export function VaultDialog({ workflowId, onClose }: { workflowId: string | undefined; onClose: () => void }) {
  const [key, setKey] = useState('')
  const [text, setText] = useState('')
  const change = useSetValue(workflowId, () => {
    toast.done(`${key} was set.`)
    onClose()
  })
  const { value, kind } = read(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ key, jsonData: value })
  }
  return (
    <Dialog title="Set a value" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Key"
          value={key}
          onChange={(event) => setKey(event.target.value)}
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
          hint={text === '' ? 'JSON, or plain text. A value that is there already is replaced.' : `Stored as ${kind}.`}
          autoComplete="off"
          required
        />
        {change.error && (
          <p role="alert" className="text-red">
            {sentenceOf(change.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
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
