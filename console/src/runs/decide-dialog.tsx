import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call, forget, sentenceOf } from '../api.ts'
import { ValueField } from '../definition/value-field.tsx'
import { TextArea } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'

type Approval = Answer<'Approvals'>['items'][number]

/** The form belongs to an approval; whoever rejects says only why. */
export function DecideDialog({
  approval,
  action,
  onClose,
}: {
  approval: Approval
  action: 'approve' | 'reject'
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [comment, setComment] = useState('')
  const [form, setForm] = useState<Record<string, unknown>>({})
  const isApproval = action === 'approve'
  const decide = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      call(
        'ApprovalAction',
        {
          params: { id: approval.id },
          body: {
            action,
            ...(comment.trim() === '' ? {} : { comment }),
            ...(isApproval && approval.form.length > 0 ? { form } : {}),
          },
        },
        { accountId: approval.accountId },
      ),
    onSettled: () => forget(queries, ['Approvals', 'Workflow', 'GetRunHistory', 'Overview', 'Incidents']),
    onSuccess: () => {
      toast.done(isApproval ? 'Approved.' : 'Rejected.')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`${isApproval ? 'Approve' : 'Reject'} ${approval.title}?`}
      submit={isApproval ? 'Approve' : 'Reject'}
      isBusy={decide.isPending}
      refusal={decide.error ? sentenceOf(decide.error) : undefined}
      onSubmit={() => decide.mutate()}
      onClose={onClose}
    >
      {approval.message && <p className="whitespace-pre-wrap text-muted">{approval.message}</p>}
      {isApproval &&
        approval.form.map((field) => (
          <ValueField
            key={field.shortName}
            declared={field}
            value={form[field.shortName]}
            onChange={(value) => setForm((before) => ({ ...before, [field.shortName]: value }))}
          />
        ))}
      <TextArea label="Comment" isOptional value={comment} onChange={(event) => setComment(event.target.value)} />
    </FormDialog>
  )
}
