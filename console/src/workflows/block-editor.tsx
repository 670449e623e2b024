// One block: its script, variables and settings above, cause and effect below.
import { Link } from '@tanstack/react-router'
import { EllipsisVertical, Play, SkipForward, Trash2, X } from 'lucide-react'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { sentenceOf } from '../api.ts'
import type { Block, BlockEdit, WorkflowDetail } from '../definition/workflow-draft.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Menu } from '../ui/menu.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { Splitter } from '../ui/splitter.tsx'
import { BlockPanes } from './block-panes.tsx'
import { BlockSettings } from './block-settings.tsx'
import { type TestStep, useBlockTest } from './block-test.ts'
import { BlockVariables } from './block-variables.tsx'
import { FlowPart } from './flow-part.tsx'
import { type Samples, useSamples } from './use-samples.ts'

const ScriptEditor = lazy(() => import('./script-editor.tsx').then((module) => ({ default: module.ScriptEditor })))

type EditorProps = {
  workflow: WorkflowDetail
  chain: readonly Block[]
  block: Block
  isStructureFree: boolean
  isReadOnly: boolean
  onEdit: (edit: BlockEdit) => void
  onRemove: () => void
  onRun: (range: { runFromBlock?: number; runTillBlock?: number }) => void
  onClose: () => void
}

const parts = ['Script', 'Flow', 'Variables', 'Settings'] as const
type Part = (typeof parts)[number]

export function BlockEditor(props: EditorProps) {
  const { workflow, block } = props
  const [part, setPart] = useState<Part>('Script')
  const [typedInput, setTypedInput] = useState<string>()
  const [inputProblem, setInputProblem] = useState<string>()
  const [insertion, setInsertion] = useState<{ text: string }>()
  const samples = useSamples(workflow, block.dataSources)
  const { test, testing, unconnected, ...applications } = useBlockTest(workflow, props.chain, block, samples)
  const surroundings = useSurroundings(workflow, block, samples)
  const runTest = () => {
    const typed = readTyped(typedInput)
    setInputProblem(typed.problem)
    if (!typed.problem) test.mutate(typed.values ? { input: typed.values } : {})
  }
  const problem = useMemo(() => problemOf(test.data, block.uniqueBlockId), [test.data, block.uniqueBlockId])
  return (
    <section aria-label={`Block ${block.blockName}`} className="flex min-h-0 flex-1 flex-col bg-panel">
      <BlockHead {...props} part={part} onPart={setPart} variableCount={surroundings.variables.length} />
      <Splitter
        id="block"
        label="Height of script and data"
        initial={60}
        isStacked
        first={
          <>
            <EditedPart {...props} {...{ part, samples, surroundings, problem, insertion }} onTest={runTest} />
            {unconnected.length > 0 && <Unconnected names={unconnected} />}
          </>
        }
        second={
          <BlockPanes
            workflow={workflow}
            chain={props.chain}
            block={block}
            samples={samples}
            typedInput={typedInput}
            onTypedInput={setTypedInput}
            onInsert={(text) => {
              setPart('Script')
              setInsertion({ text })
            }}
            step={test.data}
            refusal={inputProblem ?? (test.error ? sentenceOf(test.error) : undefined)}
            isTesting={test.isPending}
            testing={testing}
            callsApplications={applications.callsApplications}
            onCallsApplications={applications.setCallsApplications}
            onTest={runTest}
            onTestUpToHere={() => test.mutate({ isUpToHere: true })}
          />
        }
      />
    </section>
  )
}

type EditedPartProps = EditorProps & {
  part: Part
  samples: Samples
  surroundings: ReturnType<typeof useSurroundings>
  problem: ReturnType<typeof problemOf>
  insertion: { text: string } | undefined
  onTest: () => void
}

function EditedPart({ part, samples, surroundings, problem, insertion, onTest, ...props }: EditedPartProps) {
  const { workflow, block } = props
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      {part === 'Script' && (
        <Suspense
          fallback={
            <div className="p-4">
              <SkeletonLines count={6} />
            </div>
          }
        >
          <ScriptEditor
            key={block.uniqueBlockId}
            value={block.script}
            onChange={(script) => props.onEdit({ script })}
            onRun={onTest}
            isReadOnly={props.isReadOnly}
            surroundings={surroundings}
            problem={problem}
            insertion={insertion}
          />
        </Suspense>
      )}
      {part === 'Flow' && <FlowPart {...props} workflowId={workflow.id} samples={samples} />}
      {part === 'Variables' && (
        <BlockVariables
          workflow={workflow}
          block={block}
          isStructureFree={props.isStructureFree}
          onEdit={props.onEdit}
        />
      )}
      {part === 'Settings' && <BlockSettings {...props} />}
    </div>
  )
}

type HeadProps = EditorProps & {
  part: Part
  onPart: (part: Part) => void
  variableCount: number
}

function BlockHead({ part, onPart, variableCount, ...props }: HeadProps) {
  const { workflow, block, onRun } = props
  return (
    <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line pr-1 pl-3">
      <h2 className="min-w-0 truncate font-medium">{block.blockName}</h2>
      {block.isCustomized && workflow.workflowTemplateId && <span className="text-label text-muted">· customized</span>}
      <div className="ml-auto flex items-center">
        {parts.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={part === name}
            onClick={() => onPart(name)}
            className={classNames(
              'h-7 rounded-md px-2 text-table font-medium',
              part === name ? 'bg-raised text-text' : 'text-muted hover:text-text',
            )}
          >
            {name === 'Variables' && variableCount > 0 ? `${name} ${variableCount}` : name}
          </button>
        ))}
        <Menu
          label={`More for ${block.blockName}`}
          trigger={<EllipsisVertical size={16} aria-hidden />}
          triggerClassName="flex size-8 items-center justify-center rounded-md text-muted hover:bg-raised hover:text-text"
          items={[
            { label: 'Run up to here', icon: Play, onSelect: () => onRun({ runTillBlock: block.no }) },
            { label: 'Run from here', icon: SkipForward, onSelect: () => onRun({ runFromBlock: block.no }) },
            'separator',
            {
              label: 'Remove block',
              icon: Trash2,
              isDanger: true,
              isDisabled: !props.isStructureFree,
              hint: props.isStructureFree ? '' : 'Detach the workflow from its template first, under Settings.',
              onSelect: props.onRemove,
            },
          ]}
        />
        <IconButton icon={X} label="Close block" onClick={props.onClose} />
      </div>
    </div>
  )
}

function Unconnected({ names }: { names: readonly string[] }) {
  return (
    <p className="border-t border-line bg-amber-soft px-3 py-1.5 text-table text-amber">
      {names.join(' and ')} {names.length === 1 ? 'is' : 'are'} not connected yet. Save, then choose under{' '}
      <Link to="." search={{ tab: 'connections' }} className="font-medium underline underline-offset-2">
        Connections
      </Link>
      .
    </p>
  )
}

/** Undefined values: the samples are meant. */
function readTyped(typed: string | undefined): { values?: unknown[]; problem?: string } {
  if (typed === undefined) return {}
  try {
    const values: unknown = JSON.parse(typed)
    return Array.isArray(values) ? { values } : { problem: 'The input must be a JSON array: one item per data source.' }
  } catch (error) {
    return { problem: `The input is not valid JSON: ${(error as Error).message}` }
  }
}

/** A failure of this block whose place in the script is known. */
function problemOf(step: TestStep | undefined, blockId: string) {
  if (!step || step.block.uniqueBlockId !== blockId || step.outcome.success) return undefined
  const { line, column, result } = step.outcome
  return line === null ? undefined : { line, column, message: String(result) }
}

/** What the script editor completes with. */
function useSurroundings(workflow: WorkflowDetail, block: Block, samples: Samples) {
  // A new list of the same values must not make the editor start over.
  const inputs = useStable(block.dataSources.map((source) => samples.of(source)?.value ?? null))
  const variableNames = Object.keys(block.variables).join('\n')
  return useMemo(
    () => ({
      variables: variableNames === '' ? [] : variableNames.split('\n'),
      applications: Object.keys(workflow.applications),
      samples: { Datasource: inputs },
    }),
    [variableNames, workflow.applications, inputs],
  )
}

/** The same list as long as its members are the same. */
function useStable(values: unknown[]): unknown[] {
  const kept = useRef(values)
  const isSame = kept.current.length === values.length && kept.current.every((value, index) => value === values[index])
  if (!isSame) kept.current = values
  return kept.current
}
