// What is expected of one workflow, as sentences that one fills in.
import { listSizeMax } from '@patchbay/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useAction, useOperation } from '../api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.tsx'
import type { Expectation } from './expectation.ts'
import { type BlockChoice, ExpectationLine } from './expectation-line.tsx'

export function ExpectationsPanel({
  workflowId,
  onChoose,
  onClose,
}: {
  workflowId: string | undefined
  onChoose: (workflowId: string) => void
  onClose: () => void
}) {
  const workflows = useOperation(
    'WorkflowsSearch',
    { body: { size: listSizeMax, workflowState: ['deployed'] } },
    { staleTime: 60_000 },
  )
  const choices = workflows.data?.workflows ?? []
  return (
    <Panel className="rising mb-4 p-5">
      <section aria-label="Expectations">
        <div className="mb-4 flex items-end gap-2">
          <Select
            label="Workflow"
            className="w-full max-w-96"
            value={workflowId ?? ''}
            onChange={(event) => onChoose(event.target.value)}
            options={[
              { value: '', label: 'Choose a workflow', isDisabled: true },
              ...choices.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <IconButton icon={X} label="Close" className="ml-auto self-start" onClick={onClose} />
        </div>
        {workflows.data && choices.length === 0 && (
          <Notice kind="note">Expectations need a deployed workflow. There is none yet.</Notice>
        )}
        {workflowId !== undefined && <Editor key={workflowId} workflowId={workflowId} onClose={onClose} />}
      </section>
    </Panel>
  )
}

function Editor({ workflowId, onClose }: { workflowId: string; onClose: () => void }) {
  const stored = useOperation('Expectations', { params: { workflowId } }, { staleTime: Number.POSITIVE_INFINITY })
  const workflow = useOperation('Workflow', { params: { id: workflowId } })
  if (stored.error) return <Notice kind="error">{sentenceOf(stored.error)}</Notice>
  if (!stored.data || !workflow.data) return <SkeletonLines count={2} />
  const blocks = workflow.data.chain.map(({ uniqueBlockId, blockName }) => ({ id: uniqueBlockId, name: blockName }))
  return <Sentences workflowId={workflowId} given={stored.data.expectations} blocks={blocks} onClose={onClose} />
}

type Line = { id: number; expectation: Expectation }
let lastLine = 0
const toLine = (expectation: Expectation): Line => ({ id: ++lastLine, expectation })

function Sentences({
  workflowId,
  given,
  blocks,
  onClose,
}: {
  workflowId: string
  given: readonly Expectation[]
  blocks: readonly BlockChoice[]
  onClose: () => void
}) {
  const [lines, setLines] = useState(() => given.map(toLine))
  const save = useAction('ExpectationsUpdate', {
    changes: ['Expectations', 'Alarms'],
    onDone: () => {
      toast.done('Saved. You will get an e-mail when an expectation is not met.')
      onClose()
    },
  })
  return (
    <>
      {lines.length === 0 && <p className="mb-3 text-muted">Nothing is expected of this workflow yet.</p>}
      <ul className="flex flex-col gap-2">
        {lines.map(({ id, expectation }) => (
          <ExpectationLine
            key={id}
            expectation={expectation}
            blocks={blocks}
            onChange={(next) => setLines(lines.map((line) => (line.id === id ? { id, expectation: next } : line)))}
            onRemove={() => setLines(lines.filter((line) => line.id !== id))}
          />
        ))}
      </ul>
      {save.error && (
        <div className="mt-3">
          <Notice kind="error">{sentenceOf(save.error)}</Notice>
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button icon={Plus} onClick={() => setLines([...lines, toLine({ kind: 'succeedsWithin', hours: 26 })])}>
          Add
        </Button>
        <span className="ml-auto flex gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="primary"
            isBusy={save.isPending}
            onClick={() =>
              save.mutate({
                params: { workflowId },
                body: { expectations: lines.map(({ expectation }) => expectation) },
              })
            }
          >
            Save
          </Button>
        </span>
      </div>
    </>
  )
}
