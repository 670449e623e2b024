// What a block is given in a test: the sample of each source under the name of its block, or what somebody typed.
import { FlaskConical, Pin, PinOff } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { pinSample, type Sample, unpinSample } from '../definition/samples.ts'
import type { Block, WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.tsx'
import { Pane, PaneAction } from './pane.tsx'
import { originWords, type Samples } from './use-samples.ts'
import { WebhookSample } from './webhook-sample.tsx'

const CodeEditor = lazy(() => import('../ui/code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

export type InputPaneProps = {
  workflow: WorkflowDetail
  chain: readonly Block[]
  block: Block
  samples: Samples
  /** Undefined while the samples count. */
  typedInput: string | undefined
  onTypedInput: (text: string | undefined) => void
  isTesting: boolean
  onTestUpToHere: () => void
  /** Puts the way to a field into the script. */
  onInsert: (text: string) => void
}

export function InputPane({ block, typedInput, onTypedInput, ...rest }: InputPaneProps) {
  const { samples } = rest
  if (typedInput !== undefined) {
    return (
      <Pane title="Input" action={<PaneAction onClick={() => onTypedInput(undefined)}>Use samples</PaneAction>}>
        <div className="-mx-3 h-full">
          <Suspense fallback={<SkeletonLines />}>
            <CodeEditor label="Input" language="json" value={typedInput} onChange={onTypedInput} />
          </Suspense>
        </div>
      </Pane>
    )
  }
  const values = block.dataSources.map((source) => samples.of(source)?.value ?? null)
  return (
    <Pane
      title="Input"
      action={<PaneAction onClick={() => onTypedInput(JSON.stringify(values, null, 2))}>Edit</PaneAction>}
    >
      {samples.isLoading ? <SkeletonLines /> : <SampleList block={block} {...rest} />}
    </Pane>
  )
}

function SampleList({
  workflow,
  chain,
  block,
  samples,
  isTesting,
  onTestUpToHere,
  onInsert,
}: Omit<InputPaneProps, 'typedInput' | 'onTypedInput'>) {
  const nameOf = (id: string) => chain.find(({ uniqueBlockId }) => uniqueBlockId === id)?.blockName ?? 'Removed block'
  const missing = block.dataSources.filter((source) => samples.of(source) === undefined)
  return (
    <div className="flex flex-col gap-3">
      {missing.length > 0 && (
        <div className="flex flex-col items-start gap-2 rounded-md border border-line bg-raised p-2.5">
          <p className="text-table">
            {missing.map(nameOf).join(' and ')} {missing.length === 1 ? 'has' : 'have'} no data yet.
          </p>
          <Button size="small" icon={FlaskConical} isBusy={isTesting} onClick={onTestUpToHere}>
            Test up to here
          </Button>
        </div>
      )}
      {block.dataSources.map((source, index) => {
        const sample = samples.of(source)
        if (!sample) return null
        return (
          <SourceSample
            key={source}
            workflowId={workflow.id}
            blockId={source}
            name={nameOf(source)}
            sample={sample}
            onInsert={(path) => onInsert(`Datasource[${index}]${path}`)}
          />
        )
      })}
      {block.dataSources.length === 0 && <p className="text-table text-muted">This block reads from no other block.</p>}
      <WebhookSample workflow={workflow} onInsert={(path) => onInsert(`webhook.body${path}`)} />
    </div>
  )
}

type SourceSampleProps = {
  workflowId: string
  blockId: string
  name: string
  sample: Sample
  onInsert: (path: string) => void
}

function SourceSample({ workflowId, blockId, name, sample, onInsert }: SourceSampleProps) {
  const isPinned = sample.origin.kind === 'pin'
  const pin = () => {
    if (!pinSample(workflowId, blockId, sample.value)) toast.error('This sample is too large to pin in this browser.')
  }
  return (
    <div className="min-w-0">
      <div className="flex items-center gap-1.5 text-label">
        <span className="min-w-0 truncate font-medium text-text">{name}</span>
        <span className="shrink-0 text-muted">{originWords(sample)}</span>
        <IconButton
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? `Unpin the sample of ${name}` : `Pin the sample of ${name}`}
          aria-pressed={isPinned}
          onClick={isPinned ? () => unpinSample(workflowId, blockId) : pin}
          className="-my-1 ml-auto size-7"
        />
      </div>
      <JsonTree value={sample.value} label={name} onPick={onInsert} />
    </div>
  )
}
