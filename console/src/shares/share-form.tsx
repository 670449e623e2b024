import { useQueryClient } from '@tanstack/react-query'
import { FileUp, X } from 'lucide-react'
import { type DragEvent, type FormEvent, useId, useRef, useState } from 'react'
import { forget, sentenceOf } from '../api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { byteText } from '../ui/byte-text.ts'
import { classNames } from '../ui/class-names.ts'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { toast } from '../ui/toast.tsx'
import { uploadShare } from './upload-share.ts'

const initialFields = { notificationEmail: '', subject: '', secureNote: '', code: '', expiresInDays: '7' }
type Fields = typeof initialFields

export function ShareForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [files, setFiles] = useState<readonly File[]>([])
  const [fields, setFields] = useState(initialFields)
  const [progress, setProgress] = useState<number>()
  const [error, setError] = useState<string>()
  const change = (name: keyof Fields) => (event: { target: { value: string } }) =>
    setFields((before) => ({ ...before, [name]: event.target.value }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (files.length === 0) return setError('Choose at least one file.')
    setError(undefined)
    setProgress(0)
    try {
      await uploadShare(files, fields, setProgress)
      toast.done(`The link is on its way to ${fields.notificationEmail}.`)
      await forget(client, ['SecureShares', 'GetOutbox'])
      onClose()
    } catch (refusal) {
      setError(sentenceOf(refusal))
    } finally {
      setProgress(undefined)
    }
    return undefined
  }
  return (
    <Panel className="rising mb-4 p-5">
      <form onSubmit={submit} aria-label="New share" className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <FileChoice files={files} onChange={setFiles} />
        <ShareFields fields={fields} change={change} />
        <div className="flex flex-wrap items-center justify-end gap-2 lg:col-span-2">
          {error && (
            <div className="w-full">
              <Notice kind="error">{error}</Notice>
            </div>
          )}
          {progress !== undefined && (
            <span className="mr-auto flex min-w-0 flex-1 items-center gap-3 text-label text-muted">
              <progress
                value={progress}
                max={1}
                aria-label="Upload"
                className="h-1.5 w-full max-w-80 accent-(--accent-fill)"
              />
              <span className="tabular-nums">{Math.round(progress * 100)} %</span>
            </span>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={progress !== undefined}>
            Share
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function ShareFields({
  fields,
  change,
}: {
  fields: Fields
  change: (name: keyof Fields) => (event: { target: { value: string } }) => void
}) {
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="E-mail"
        type="email"
        hint="Who receives the link."
        value={fields.notificationEmail}
        onChange={change('notificationEmail')}
        required
      />
      <TextField
        label="Subject"
        isOptional
        placeholder="Files for you"
        value={fields.subject}
        onChange={change('subject')}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Code"
          isOptional
          autoComplete="off"
          hint={
            fields.code === ''
              ? 'Leave empty to put a generated code in the link.'
              : 'Not in the e-mail. Send it some other way.'
          }
          value={fields.code}
          onChange={change('code')}
        />
        <Select
          label="Expires after"
          value={fields.expiresInDays}
          onChange={change('expiresInDays')}
          options={['1', '3', '7', '14', '30', '90'].map((days) => ({
            value: days,
            label: days === '1' ? '1 day' : `${days} days`,
          }))}
        />
      </div>
      <TextArea
        label="Note"
        isOptional
        rows={2}
        hint="Encrypted, shown with the files, never sent by e-mail."
        value={fields.secureNote}
        onChange={change('secureNote')}
      />
    </div>
  )
}

function FileChoice({ files, onChange }: { files: readonly File[]; onChange: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const add = (list: FileList | null) => onChange([...files, ...(list ?? [])])
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    add(event.dataTransfer.files)
  }
  return (
    <div>
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={classNames(
          'flex min-h-36 cursor-pointer flex-col items-center justify-center gap-1 rounded-lg border border-dashed px-4 text-center focus-within:outline-2 focus-within:outline-(--ring)',
          isOver ? 'border-accent-fill bg-accent-soft' : 'border-control bg-raised/40 hover:bg-raised',
        )}
      >
        <FileUp size={20} strokeWidth={1.5} aria-hidden className="mb-1 text-muted" />
        <span className="font-medium">Files</span>
        <span className="text-label text-muted">Drop them here, or press to choose. Any size.</span>
        <input
          ref={input}
          id={id}
          type="file"
          multiple
          className="sr-only"
          onChange={(event) => add(event.target.files)}
        />
      </label>
      <ul className="mt-2">
        {files.map((file, index) => (
          <li key={`${file.name} ${file.lastModified} ${file.size}`} className="flex h-8 items-center gap-2 text-table">
            <span className="min-w-0 truncate">{file.name}</span>
            <span className="shrink-0 text-label text-muted">{byteText(file.size)}</span>
            <IconButton
              icon={X}
              label={`Remove ${file.name}`}
              className="ml-auto !size-6"
              onClick={() => onChange(files.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}
