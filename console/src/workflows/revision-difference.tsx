import { X } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { IconButton } from '../ui/button.tsx'
import { ChangedFields } from '../ui/changed-fields.tsx'
import { Select } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'

const DiffView = lazy(() => import('../ui/diff-view.tsx').then((module) => ({ default: module.DiffView })))

type Range = { from?: number; to?: number }

export function RevisionDifference({
  workflowId,
  from,
  to,
  newest,
  onChange,
  onClose,
}: {
  workflowId: string
  from: number
  to: number
  newest: number
  onChange: (range: Range) => void
  onClose: () => void
}) {
  const difference = useOperation('WorkflowDifference', { params: { workflowId }, query: { from, to } })
  const numbers = Array.from({ length: newest }, (_, index) => ({
    value: String(newest - index),
    label: `Revision ${newest - index}`,
  }))
  return (
    <div className="mt-6">
      <Section
        title={`Changes from revision ${from} to ${to}`}
        actions={
          <>
            <Select
              label="From"
              isLabelHidden
              value={String(from)}
              options={numbers}
              onChange={(event) => onChange({ from: Number(event.target.value) })}
            />
            <Select
              label="To"
              isLabelHidden
              value={String(to)}
              options={numbers}
              onChange={(event) => onChange({ to: Number(event.target.value) })}
            />
            <IconButton icon={X} label="Close comparison" onClick={onClose} />
          </>
        }
      >
        <Loaded query={difference} sentence={sentenceOf} skeleton={<SkeletonLines count={5} />}>
          {({ fields, variables, applications, blocks }) => (
            <div className="flex flex-col gap-4">
              {fields.length + variables.length + applications.length + blocks.length === 0 && (
                <p className="text-muted">There is no difference.</p>
              )}
              <Values title="Workflow" changes={fields} />
              <Values title="Variables" changes={variables} />
              <Values title="Connections" changes={applications} />
              {blocks.map((block) => (
                <div key={block.uniqueBlockId} className="flex flex-col gap-2">
                  <h3 className="font-medium">
                    {block.blockName} <span className="text-label font-normal text-muted">{block.change}</span>
                  </h3>
                  {block.fields
                    .filter(({ name }) => name === 'script')
                    .map((field) => (
                      <Suspense key={field.name} fallback={<SkeletonLines />}>
                        <DiffView
                          before={String(field.from ?? '')}
                          after={String(field.to ?? '')}
                          language="javascript"
                          labels={[`Revision ${from}`, `Revision ${to}`]}
                        />
                      </Suspense>
                    ))}
                  <Values title="" changes={block.fields.filter(({ name }) => name !== 'script')} />
                </div>
              ))}
            </div>
          )}
        </Loaded>
      </Section>
    </div>
  )
}

function Values({
  title,
  changes,
}: {
  title: string
  changes: readonly { name: string; from: unknown; to: unknown }[]
}) {
  if (changes.length === 0) return null
  return (
    <div>
      {title && <h3 className="mb-1.5 font-medium">{title}</h3>}
      <ChangedFields fields={changes} />
    </div>
  )
}
