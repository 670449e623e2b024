// A question that names the thing. Everything larger is a page or a side panel.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button, type Tone } from './button.tsx'

export function Dialog({
  title,
  onClose,
  children,
  width = 440,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  width?: number
}) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      style={{ width }}
      className="rising m-auto max-h-[calc(100dvh-48px)] max-w-[calc(100vw-32px)] overflow-y-auto rounded-lg border border-line-strong bg-panel p-5 text-text shadow-float"
    >
      <h2 id={titleId} className="text-section font-semibold">
        {title}
      </h2>
      <div className="mt-2 text-table">{children}</div>
    </dialog>
  )
}

export function ConfirmDialog({
  title,
  children,
  confirm,
  tone = 'danger',
  isBusy = false,
  error,
  onConfirm,
  onClose,
}: {
  title: string
  children: ReactNode
  confirm: string
  tone?: Tone
  isBusy?: boolean
  error?: string | undefined
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-muted">{children}</div>
      {error && (
        <p role="alert" className="mt-2 text-red">
          {error}
        </p>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone={tone} isBusy={isBusy} onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
