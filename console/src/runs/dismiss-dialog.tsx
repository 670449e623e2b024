import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call, forget, sentenceOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { groupItems } from './item-groups.ts'

type FailedItem = Answer<'FailedItems'>['items'][number]

/** Closes items for good; whoever does it says why. */
export function DismissDialog({
  items,
  onClose,
  onDone,
}: {
  items: readonly FailedItem[]
  onClose: () => void
  onDone: () => void
}) {
  const queries = useQueryClient()
  const [comment, setComment] = useState('')
  const dismiss = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: async () => {
      let closed = 0
      for (const { accountId, keys, ...group } of groupItems(items))
        closed += (await call('DismissItems', { body: { ...group, keys, comment } }, { accountId })) ?? 0
      return closed
    },
    onSettled: () => forget(queries, ['FailedItems', 'WorkflowsSearch', 'Overview', 'Incidents', 'GetRunHistory']),
    onSuccess: (closed) => {
      toast.done(`${counted(closed, 'item')} dismissed.`)
      onDone()
      onClose()
    },
  })
  return (
    <Dialog title={`Dismiss ${counted(items.length, 'item')}?`} onClose={onClose}>
      <p className="mb-3 text-muted">They leave this list without a retry. The comment goes to the audit log.</p>
      <TextArea label="Comment" value={comment} maxLength={2000} onChange={(event) => setComment(event.target.value)} />
      {dismiss.error && (
        <p role="alert" className="mt-2 text-red">
          {sentenceOf(dismiss.error)}
        </p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          tone="danger"
          disabled={comment.trim() === ''}
          isBusy={dismiss.isPending}
          onClick={() => dismiss.mutate()}
        >
          Dismiss
        </Button>
      </div>
    </Dialog>
  )
}
