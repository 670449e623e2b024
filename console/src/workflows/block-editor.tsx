// One block: its script, variables and settings above, cause and effect below.
import { Link } from '@tanstack/react-router'
import { EllipsisVertical, Play, SkipForward, Trash2, X } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { sentenceOf } from '../api.ts'
import type { Block, BlockEdit, WorkflowDetail } from '../definition/workflow-draft.ts'
import { useBlockInput } from '../runs/block-input.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Menu } from '../ui/menu.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { BlockPanes } from './block-panes.tsx'
import { BlockSettings } from './block-settings.tsx'
import { useBlockTest } from './block-test.ts'
import { BlockVariables } from './block-variables.tsx'

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

const parts = ['Script', 'Variables', 'Settings'] as const
type Part = (typeof parts)[number]

export function BlockEditor(props: EditorProps) {
  const { workflow, block } = props
  const [part, setPart] = useState<Part>('Script')
  const [typedInput, setTypedInput] = useState<string>()
  const [inputProblem, setInputProblem] = useState<string>()
  const input = useBlockInput(workflow.id, workflow.lastRunNumber, block.dataSources)
  const { test, unconnected, callsApplications, setCallsApplications } = useBlockTest(workflow, block)
  const variableNames = Object.keys(block.variables).join('\n')
  const surroundings = useMemo(
    () => ({
      variables: variableNames === '' ? [] : variableNames.split('\n'),
      applications: Object.keys(workflow.applications),
    }),
    [variableNames, workflow.applications],
  )
  const runTest = () => {
    const given = readInput(typedInput, input.values)
    setInputProblem(given.problem)
    if (given.values) test.mutate(given.values)
  }
  const failed = test.data?.success === false && test.data.line !== null ? test.data : undefined
  const problem = useMemo(
    () => (failed ? { line: failed.line as number, column: failed.column, message: String(failed.result) } : undefined),
    [failed],
  )
  return (
    <section aria-label={`Block ${block.blockName}`} className="flex min-h-0 flex-1 flex-col bg-panel">
      <BlockHead {...props} part={part} onPart={setPart} variableCount={surroundings.variables.length} />
      <div className="min-h-48 flex-[3] overflow-auto">
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
              onRun={runTest}
              isReadOnly={props.isReadOnly}
              surroundings={surroundings}
              problem={problem}
            />
          </Suspense>
        )}
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
      {unconnected.length > 0 && <Unconnected names={unconnected} />}
      <div className="flex min-h-0 flex-[2] flex-col">
        <BlockPanes
          workflow={workflow}
          block={block}
          input={input}
          typedInput={typedInput}
          onTypedInput={setTypedInput}
          outcome={test.data}
          refusal={inputProblem ?? (test.error ? sentenceOf(test.error) : undefined)}
          isTesting={test.isPending}
          callsApplications={callsApplications}
          onCallsApplications={setCallsApplications}
          onTest={runTest}
        />
      </div>
    </section>
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
      <Link to="." search={{ tab: 'connections' } as never} className="font-medium underline underline-offset-2">
        Connections
      </Link>
      .
    </p>
  )
}

function readInput(typed: string | undefined, last: unknown[]): { values?: unknown[]; problem?: string } {
  if (typed === undefined) return { values: last }
  try {
    const values: unknown = JSON.parse(typed)
    return Array.isArray(values) ? { values } : { problem: 'The input must be a JSON array: one item per data source.' }
  } catch (error) {
    return { problem: `The input is not valid JSON: ${(error as Error).message}` }
  }
}
