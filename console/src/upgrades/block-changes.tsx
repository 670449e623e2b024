// What an upgrade would change in the blocks of a workflow, side by side.
import { lazy, Suspense } from 'react'
import { Chip } from '../ui/chip.tsx'
import { Panel } from '../ui/panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import type { PreviewItem } from './outcome.tsx'

const DiffView = lazy(() => import('../ui/diff-view.tsx').then((module) => ({ default: module.DiffView })))

type Change = PreviewItem['changes'][number]
const tones = { added: 'green', removed: 'red', changed: 'blue', moved: 'grey' } as const

export function BlockChanges({ changes, labels }: { changes: readonly Change[]; labels: [string, string] }) {
  return (
    <div className="flex flex-col gap-5">
      {changes.map((block) => (
        <section key={block.uniqueBlockId} className="flex flex-col gap-2">
          <h3 className="flex items-center gap-2 font-medium">
            {block.blockName} <Chip tone={tones[block.change]}>{block.change}</Chip>
          </h3>
          {block.fields
            .filter(({ name }) => name === 'script')
            .map((field) => (
              <Suspense key={field.name} fallback={<SkeletonLines />}>
                <DiffView
                  before={String(field.from ?? '')}
                  after={String(field.to ?? '')}
                  language="javascript"
                  labels={labels}
                />
              </Suspense>
            ))}
          <Fields fields={block.fields.filter(({ name }) => name !== 'script')} />
        </section>
      ))}
    </div>
  )
}

function Fields({ fields }: { fields: Change['fields'] }) {
  if (fields.length === 0) return null
  return (
    <Panel className="divide-y divide-line">
      {fields.map((field) => (
        <div key={field.name} className="grid gap-x-3 gap-y-1 px-3 py-2 text-table sm:grid-cols-[160px_1fr_1fr]">
          <span className="truncate text-muted">{field.name}</span>
          <code className="rounded-sm bg-red-soft px-1.5 font-mono text-label text-red [overflow-wrap:anywhere]">
            {textOf(field.from)}
          </code>
          <code className="rounded-sm bg-green-soft px-1.5 font-mono text-label text-green [overflow-wrap:anywhere]">
            {textOf(field.to)}
          </code>
        </div>
      ))}
    </Panel>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
