// A short form over the page: fields, the refusal that belongs to none of them, Cancel and one button that does it.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export function FormDialog({
  title,
  submit,
  isBusy,
  refusal,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  /** The word on the button. */
  submit: string
  isBusy: boolean
  /** The sentence of a refusal that no field shows. */
  refusal?: string | undefined
  onSubmit: () => void
  /** Left out where there is no way around the form. */
  onClose?: () => void
  children: ReactNode
}) {
  return (
    <Dialog title={title} onClose={onClose ?? (() => {})}>
      <form
        className="mt-3 flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        {refusal && (
          <p role="alert" className="text-red">
            {refusal}
          </p>
        )}
        <div className="flex justify-end gap-2">
          {onClose && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
