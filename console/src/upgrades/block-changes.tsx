// What an upgrade would change in the blocks of a workflow, side by side.
import { lazy, Suspense } from 'react'
import { ChangedFields } from '../ui/changed-fields.tsx'
import { Chip } from '../ui/chip.tsx'
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
          <ChangedFields fields={block.fields.filter(({ name }) => name !== 'script')} />
        </section>
      ))}
    </div>
  )
}
