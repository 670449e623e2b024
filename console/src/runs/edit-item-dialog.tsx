import { useState } from 'react'
import { type Answer, sentenceOf, useOperationAs } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useRetryItems } from './use-retry-items.ts'

type FailedItem = Answer<'FailedItems'>['items'][number]

/** One item with its error; corrected, it runs again. */
export function EditItemDialog({
  item,
  onClose,
  onDone,
}: {
  item: FailedItem
  onClose: () => void
  onDone: () => void
}) {
  const { workflowId, uniqueBlockId, runNumber, key } = item
  const recorded = useOperationAs(item.accountId, 'GetBlockItem', {
    params: { workflowId },
    query: { uniqueBlockId, runNumber, itemKey: key },
  })
  const [typed, setTyped] = useState<string>()
  const retry = useRetryItems(() => {
    onDone()
    onClose()
  }, true)
  const text = typed ?? JSON.stringify(recorded.data?.item, null, 2) ?? ''
  const edited = parse(text)
  const problem = retry.error ?? recorded.error
  return (
    <Dialog title={`Edit ${key} and retry`} onClose={onClose}>
      <p className="mb-3 text-muted">{item.errorMessage}</p>
      {recorded.isPending ? (
        <Skeleton height={160} />
      ) : (
        <TextArea
          label="Item"
          isMono
          rows={12}
          spellCheck={false}
          value={text}
          error={edited.isValid ? undefined : 'This is not valid JSON.'}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {problem && (
        <p role="alert" className="mt-2 text-red">
          {sentenceOf(problem)}
        </p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          tone="primary"
          disabled={!edited.isValid || !recorded.data}
          isBusy={retry.isPending}
          onClick={() => retry.mutate({ items: [item], edited: edited.value })}
        >
          Retry
        </Button>
      </div>
    </Dialog>
  )
}

function parse(text: string): { isValid: boolean; value?: unknown } {
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch {
    return { isValid: false }
  }
}
