// Many past requests at once, with the count before anything happens.

import { listSizeMax } from '@patchbay/sdk'
import { type FormEvent, useState } from 'react'
import { type Body, sentenceOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'

type Status = NonNullable<Body<'WebhookReplay'>['status']>[number]
const choices: Record<string, { label: string; status: Status[] }> = {
  skipped: { label: 'Skipped and given up', status: ['Skipped'] },
  done: { label: 'Done', status: ['Done'] },
  both: { label: 'All', status: ['Done', 'Skipped'] },
}

export function ReplayDialog({ workflowId, onClose }: { workflowId: string; onClose: () => void }) {
  const [which, setWhich] = useState('skipped')
  const [from, setFrom] = useState(() => localText(Date.now() - 86_400_000))
  const [to, setTo] = useState(() => localText(Date.now() + 60_000))
  const range = { searchFrom: new Date(from).toISOString(), searchTo: new Date(to).toISOString() }
  const { status } = choices[which] as (typeof choices)[string]
  const history = useOperation('GetWebhookHistory', { params: { workflowId }, body: { ...range, size: listSizeMax } })
  const replay = useAction('WebhookReplay', {
    changes: ['GetWebhookQueue', 'GetWebhookHistory'],
    onDone: ({ answer }) => {
      toast.done(`${goingBack(answer?.total ?? 0)} back into the queue, oldest first.`)
      onClose()
    },
  })
  const count = history.data?.items.filter((item) => status.includes(item.status)).length
  // Of a longer history only the newest are counted, so the count is a lower bound.
  const isBound = (history.data?.length ?? 0) > listSizeMax
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate({ params: { workflowId }, body: { ...range, status } })
  }
  return (
    <Dialog title="Replay several requests" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Select
          label="Which"
          value={which}
          onChange={(event) => setWhich(event.target.value)}
          options={Object.entries(choices).map(([value, { label }]) => ({ value, label }))}
        />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Accepted from"
            type="datetime-local"
            value={from}
            onChange={(event) => event.target.value && setFrom(event.target.value)}
          />
          <TextField
            label="Accepted before"
            type="datetime-local"
            value={to}
            onChange={(event) => event.target.value && setTo(event.target.value)}
          />
        </div>
        <p aria-live="polite" className="text-muted">
          {count === undefined ? 'Counting …' : effectOf(count, isBound)}
        </p>
        {replay.error && (
          <p role="alert" className="text-red">
            {sentenceOf(replay.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="primary"
            disabled={count === undefined || (count === 0 && !isBound)}
            isBusy={replay.isPending}
          >
            {isBound ? 'Replay all' : `Replay${count ? ` ${count.toLocaleString('en')}` : ''}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const goingBack = (count: number) => counted(count, 'request goes', 'requests go')

function effectOf(count: number, isBound: boolean): string {
  if (count > 0) {
    return `${isBound ? 'At least ' : ''}${goingBack(count)} back into the queue, oldest first, with their original ids.`
  }
  return isBound
    ? `None of the newest ${listSizeMax.toLocaleString('en')} requests match. Older requests that match go back into the queue.`
    : 'No requests match.'
}

/** As the field wants it: local time without a zone. */
function localText(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
