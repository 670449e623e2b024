// A field that both sides changed: what it was, what each made of it, and what shall become of it.
import { lazy, Suspense, useMemo } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import type { Choice } from './decisions.ts'
import type { PreviewItem } from './outcome.tsx'

const CodeEditor = lazy(() => import('../ui/code-editor.tsx').then((module) => ({ default: module.CodeEditor })))
const ChangedLines = lazy(() => import('./changed-lines.tsx').then((module) => ({ default: module.ChangedLines })))

type Conflict = PreviewItem['conflicts'][number]

/** Only these can be given a third value. */
const editable = ['script', 'blockName', 'dataSources']

export function ConflictCard({
  conflict,
  item,
  choice,
  onChoose,
}: {
  conflict: Conflict
  item: PreviewItem
  choice: Choice | undefined
  onChoose: (choice: Choice) => void
}) {
  const sides = useMemo(() => {
    const [base, ours, theirs] = [conflict.base, conflict.ours, conflict.theirs].map(textOf) as [string, string, string]
    return [
      {
        title: `Before · version ${item.fromVersion ?? 'draft'}`,
        text: nullable(conflict.base),
        others: [ours, theirs],
      },
      { title: 'Customer', text: nullable(conflict.ours), others: [base] },
      { title: `Template · version ${item.toVersion}`, text: nullable(conflict.theirs), others: [base] },
    ]
  }, [conflict, item])
  const start = () => textOf(choice?.take === 'template' ? conflict.theirs : conflict.ours)
  return (
    <Panel className="overflow-hidden">
      <header className="flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1.5">
        <h3 className="font-semibold">{conflict.blockName}</h3>
        <span className="text-table text-muted">{fieldWords(conflict.field)}</span>
      </header>
      <div className="grid divide-line max-lg:divide-y lg:grid-cols-3 lg:divide-x">
        <Suspense fallback={<SkeletonLines count={6} />}>
          {sides.map((side) => (
            <ChangedLines key={side.title} {...side} />
          ))}
        </Suspense>
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2.5">
        <fieldset className="flex flex-wrap items-center gap-2">
          <legend className="sr-only">What to do with {conflict.blockName}</legend>
          <Option
            label="Keep customer’s"
            isOn={choice?.take === 'customer'}
            onSelect={() => onChoose({ take: 'customer' })}
          />
          <Option
            label="Take template’s"
            isOn={choice?.take === 'template'}
            onSelect={() => onChoose({ take: 'template' })}
          />
          {editable.includes(conflict.field) && (
            <Option
              label="Edit"
              isOn={choice?.take === 'value'}
              onSelect={() => onChoose({ take: 'value', value: start() })}
            />
          )}
        </fieldset>
        {!choice && <span className="text-label text-amber">Not decided yet</span>}
      </div>
      {choice?.take === 'value' && (
        <div className="flex h-80 flex-col border-t border-line">
          <p className="bg-raised px-3 py-1 text-label font-medium text-muted">Merged · edit as you like</p>
          <Suspense fallback={<SkeletonLines count={6} />}>
            <CodeEditor
              label={`Merged ${fieldWords(conflict.field).toLowerCase()} of ${conflict.blockName}`}
              language={conflict.field === 'dataSources' ? 'json' : 'javascript'}
              value={choice.value}
              onChange={(value) => onChoose({ take: 'value', value })}
            />
          </Suspense>
        </div>
      )}
    </Panel>
  )
}

function Option({ label, isOn, onSelect }: { label: string; isOn: boolean; onSelect: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onSelect}
      className={classNames(
        'inline-flex h-8 items-center rounded-md border px-3 text-table font-medium',
        isOn
          ? 'border-accent-fill bg-accent-soft text-accent'
          : 'border-line-strong bg-panel text-muted hover:bg-raised hover:text-text',
      )}
    >
      {label}
    </button>
  )
}

function fieldWords(field: string): string {
  const words: Record<string, string> = {
    script: 'Script',
    block: 'Whole block',
    blockName: 'Name',
    dataSources: 'Data sources',
    blockTemplateId: 'Block template',
    applicationShortName: 'Application',
  }
  return words[field] ?? field
}

function nullable(value: unknown): string | null {
  return value === null || value === undefined ? null : textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}
