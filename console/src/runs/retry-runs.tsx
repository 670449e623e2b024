// Several failed runs once more, one after the other, with what came of each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call, forget, sentenceOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'

type Outcome = { number: number; sentence: string; isRefused: boolean }

export function RetryRuns({
  workflowId,
  runs,
}: {
  workflowId: string
  runs: readonly { lockVersionNumber: number; status: string; errorMessage: string | null }[]
}) {
  const queries = useQueryClient()
  const [isAsked, setIsAsked] = useState(false)
  const failed = runs
    .filter(({ status }) => status === 'Error')
    .toSorted((a, b) => a.lockVersionNumber - b.lockVersionNumber)
  const retry = useMutation({
    mutationFn: async () => {
      const outcomes: Outcome[] = []
      for (const { lockVersionNumber: number } of failed) {
        outcomes.push(
          await call('RetryRun', { params: { workflowId }, query: { runNumber: number } }).then(
            (sentence) => ({ number, sentence: sentence ?? '', isRefused: false }),
            (error: unknown) => ({ number, sentence: sentenceOf(error), isRefused: true }),
          ),
        )
      }
      return outcomes
    },
    onSettled: () => forget(queries, ['GetRunHistory', 'Workflow', 'Overview', 'Incidents']),
  })
  if (failed.length === 0) return null
  const close = () => {
    setIsAsked(false)
    retry.reset()
  }
  return (
    <>
      <Button icon={RotateCcw} onClick={() => setIsAsked(true)}>
        Retry {counted(failed.length, 'run')}
      </Button>
      {isAsked && (
        <Dialog
          title={retry.data ? 'Retried' : `Retry ${counted(failed.length, 'failed run')}?`}
          onClose={close}
          width={560}
        >
          <p className="mb-2 text-muted">Each continues from the block that failed, the oldest first.</p>
          <ul className="max-h-[50dvh] divide-y divide-line overflow-y-auto rounded-md border border-line bg-ground">
            {failed.map(({ lockVersionNumber: number, errorMessage }) => {
              const outcome = retry.data?.find((done) => done.number === number)
              return (
                <li key={number} className="flex gap-3 px-3 py-1.5">
                  <span className="w-14 shrink-0 font-mono">{number}</span>
                  <span className={outcome?.isRefused ? 'min-w-0 text-red' : 'min-w-0 text-muted'}>
                    {outcome?.sentence ?? errorMessage}
                  </span>
                </li>
              )
            })}
          </ul>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={close}>{retry.data ? 'Close' : 'Cancel'}</Button>
            {!retry.data && (
              <Button tone="primary" isBusy={retry.isPending} onClick={() => retry.mutate()}>
                Retry
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </>
  )
}
