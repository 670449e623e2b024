// One action for many workflows: first what it would do to each, then what it did to each. The service judges both by the same rules.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, type Body, call, forget, sentenceOf, useAction } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { StateText } from '../ui/chip.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.tsx'

type Action = Body<'BulkAction'>['action']
export type BulkChoice = { workflowIds: string[] } | { filter: NonNullable<Body<'BulkAction'>['filter']> }
type Item = Answer<'BulkAction'>['items'][number]

export const bulkWords: Record<Action, { verb: string; done: string }> = {
  retryFailed: { verb: 'Retry failed', done: 'retried' },
  pause: { verb: 'Pause', done: 'paused' },
  resume: { verb: 'Resume', done: 'resumed' },
  deploy: { verb: 'Deploy', done: 'deployed' },
  tag: { verb: 'Tag', done: 'tagged' },
}
const reads = [
  'WorkflowsSearch',
  'Workflows',
  'Workflow',
  'Overview',
  'Incidents',
  'GetRunHistory',
  'GetWebhookQueue',
] as const

export function BulkDialog({
  action,
  choice,
  isAcross,
  onClose,
  onDone,
}: {
  action: Action
  choice: BulkChoice
  /** Rows name their customer. */
  isAcross: boolean
  onClose: () => void
  onDone: () => void
}) {
  const queries = useQueryClient()
  const [tag, setTag] = useState('')
  const body = { action, ...choice, ...(action === 'tag' ? { tag: tag.trim() } : {}) }
  const preview = useQuery({
    queryKey: ['bulk preview', body],
    queryFn: () => call('BulkAction', { body: { ...body, dryRun: true } }),
    enabled: action !== 'tag' || tag.trim() !== '',
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const act = useAction('BulkAction', {
    isShownInPlace: true,
    onDone: ({ answer }) => {
      void forget(queries, reads)
      if (answer && answer.done > 0) toast.done(`${counted(answer.done, 'workflow')} ${bulkWords[action].done}.`)
      if (answer?.refused === 0) {
        onDone()
        onClose()
      }
    },
  })
  const result = act.data?.answer
  const shown = result ?? preview.data
  const error = act.error ?? preview.error
  const { verb } = bulkWords[action]
  const close = () => {
    if (result) onDone()
    onClose()
  }
  return (
    <Dialog title={titleOf(verb, result ? undefined : shown?.done)} onClose={onClose} width={640}>
      {action === 'tag' && !result && (
        <TextField
          label="Tag"
          className="mb-3"
          value={tag}
          maxLength={200}
          onChange={(event) => setTag(event.target.value)}
        />
      )}
      {shown ? <Outcomes shown={shown} isDone={result !== undefined} isAcross={isAcross} /> : null}
      {!shown && preview.isFetching && <SkeletonLines count={4} />}
      {error && (
        <p role="alert" className="mt-2 text-red">
          {sentenceOf(error)}
        </p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>{result ? 'Close' : 'Cancel'}</Button>
        {!result && (
          <Button
            tone="primary"
            isBusy={act.isPending}
            disabled={!shown || shown.done === 0 || preview.isFetching}
            onClick={() => act.mutate({ body } as never)}
          >
            {verb}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function titleOf(verb: string, count: number | undefined): string {
  return count === undefined ? verb : `${verb} ${counted(count, 'workflow')}?`
}

const looks = {
  done: { tone: 'green', shape: 'check' },
  unchanged: { tone: 'grey', shape: 'ring' },
  refused: { tone: 'red', shape: 'cross' },
} as const
const order = ['refused', 'done', 'unchanged'] as const

function Outcomes({ shown, isDone, isAcross }: { shown: Answer<'BulkAction'>; isDone: boolean; isAcross: boolean }) {
  const words = isDone
    ? { done: 'done', unchanged: 'unchanged', refused: 'refused' }
    : { done: 'will change', unchanged: 'stay as they are', refused: 'will be refused' }
  const items = shown.items.toSorted((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome))
  return (
    <>
      <p className="mb-2 flex flex-wrap gap-x-4 gap-y-1" {...(isDone ? { role: 'status' } : {})}>
        {(['done', 'unchanged', 'refused'] as const)
          .filter((outcome) => shown[outcome] > 0)
          .map((outcome) => (
            <StateText key={outcome} {...looks[outcome]}>
              {shown[outcome].toLocaleString('en')} {words[outcome]}
            </StateText>
          ))}
        {shown.items.length === 0 && <span className="text-muted">No workflow matches.</span>}
      </p>
      <ul className="max-h-[50dvh] divide-y divide-line overflow-y-auto rounded-md border border-line bg-ground">
        {items.map((item) => (
          <OutcomeLine key={item.workflowId} item={item} isAcross={isAcross} />
        ))}
      </ul>
    </>
  )
}

function OutcomeLine({ item, isAcross }: { item: Item; isAcross: boolean }) {
  return (
    <li className="flex gap-2 px-3 py-1.5">
      <span className="pt-0.5">
        <StateText {...looks[item.outcome]}>
          <span className="sr-only">{item.outcome}</span>
        </StateText>
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium">{item.workflowName}</span>
          {isAcross && <span className="truncate text-label text-muted">{item.accountName}</span>}
        </span>
        <span className="block text-label text-pretty text-muted">{item.message}</span>
      </span>
    </li>
  )
}
