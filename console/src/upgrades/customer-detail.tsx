// One customer's workflow: what the upgrade would change, what has to be decided, and what is missing.
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { ValueField } from '../workflows/value-field.tsx'
import { BlockChanges } from './block-changes.tsx'
import { ConflictCard } from './conflict-card.tsx'
import { conflictKey, decide, missingVariable, useDecisions } from './decisions.ts'
import { OutcomeChip, type PreviewItem, ResolvedChip } from './outcome.tsx'

export function CustomerDetail({
  item,
  goal,
  templateId,
  onBack,
}: {
  item: PreviewItem
  goal: string
  templateId: string
  onBack: () => void
}) {
  const decision = useDecisions(goal).get(item.workflowId)
  const current = decision?.revision === item.revision ? decision : undefined
  return (
    <section aria-label={`Preview of ${item.name}`} className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="small" icon={ArrowLeft} onClick={onBack}>
          All customers
        </Button>
        <h2 className="min-w-0 text-section font-semibold [overflow-wrap:anywhere]">{item.name}</h2>
        {current?.isComplete ? <ResolvedChip /> : <OutcomeChip outcome={item.outcome} />}
        <span className="text-table text-muted">
          {item.accountEmail} ·{' '}
          <Link
            to="/workflows/$id"
            params={{ id: item.workflowId }}
            search={{ as: item.accountId } as never}
            className="text-accent underline underline-offset-2"
          >
            revision {item.revision}
          </Link>
        </span>
      </div>
      <Problems item={item} goal={goal} templateId={templateId} variables={current?.variables ?? {}} />
      {item.conflicts.length > 0 && (
        <div className="flex flex-col gap-4">
          <p className="max-w-[80ch] text-muted">
            Both the customer and the template changed {item.conflicts.length === 1 ? 'this field' : 'these fields'}.
            Decide what stays; the workflow is then upgraded with the others.
          </p>
          {item.conflicts.map((conflict) => (
            <ConflictCard
              key={conflictKey(conflict)}
              conflict={conflict}
              item={item}
              choice={current?.choices[conflictKey(conflict)]}
              onChoose={(choice) => decide(goal, item, { choice: [conflictKey(conflict), choice] })}
            />
          ))}
        </div>
      )}
      {item.notes.length > 0 && (
        <Notice kind="note">
          {item.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </Notice>
      )}
      {item.changes.length > 0 && (
        <div>
          <h2 className="mb-3 text-section font-semibold">
            {item.conflicts.length > 0 ? 'What changes without a conflict' : 'What changes'}
          </h2>
          <BlockChanges changes={item.changes} labels={['Now', 'After the upgrade']} />
        </div>
      )}
      {item.outcome === 'upToDate' && (
        <p className="text-muted">This workflow follows version {item.toVersion} already.</p>
      )}
    </section>
  )
}

function Problems({
  item,
  goal,
  templateId,
  variables,
}: {
  item: PreviewItem
  goal: string
  templateId: string
  variables: Readonly<Record<string, unknown>>
}) {
  const template = useOperation(
    'WorkflowTemplate',
    { params: { id: templateId }, query: { version: item.toVersion } },
    { enabled: item.problems.length > 0 },
  )
  if (item.problems.length === 0) return null
  const missing = new Set(item.problems.flatMap((problem) => missingVariable(problem) ?? []))
  const fields = (template.data?.variables ?? []).filter(({ shortName }) => missing.has(shortName))
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warning" title="This workflow cannot be upgraded as it is">
        <ul>
          {item.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </Notice>
      {fields.length > 0 && (
        <div className="grid max-w-160 gap-4 sm:grid-cols-2">
          {fields.map((field) => (
            <ValueField
              key={field.shortName}
              declared={field as never}
              value={variables[field.shortName]}
              onChange={(value) => decide(goal, item, { variable: [field.shortName, value] })}
            />
          ))}
        </div>
      )}
    </div>
  )
}
