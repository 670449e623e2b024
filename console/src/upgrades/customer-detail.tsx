// One customer's workflow: what the upgrade would change, what has to be decided, and what is missing.
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { BlockChanges } from './block-changes.tsx'
import { ConflictCard } from './conflict-card.tsx'
import { conflictKey, decide, needKey, useDecisions } from './decisions.ts'
import { NeededValue } from './needed-value.tsx'
import { OutcomeChip, type PreviewItem, ResolvedChip } from './outcome.tsx'

export function CustomerDetail({ item, goal, onBack }: { item: PreviewItem; goal: string; onBack: () => void }) {
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
            search={{ as: item.accountId }}
            className="text-accent underline underline-offset-2"
          >
            revision {item.revision}
          </Link>
        </span>
      </div>
      <Problems item={item} goal={goal} given={current?.given ?? {}} />
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
  given,
}: {
  item: PreviewItem
  goal: string
  given: Readonly<Record<string, unknown>>
}) {
  if (item.problems.length === 0) return null
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warning" title="This workflow cannot be upgraded as it is">
        <ul>
          {item.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </Notice>
      {item.needs.length > 0 && (
        <div className="grid max-w-160 gap-4 sm:grid-cols-2">
          {item.needs.map((need) => (
            <NeededValue
              key={needKey(need)}
              need={need}
              blockName={item.changes.find(({ uniqueBlockId }) => uniqueBlockId === need.uniqueBlockId)?.blockName}
              accountId={item.accountId}
              value={given[needKey(need)]}
              onChange={(value) => decide(goal, item, { given: [need, value] })}
            />
          ))}
        </div>
      )}
    </div>
  )
}
