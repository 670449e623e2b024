// Every customer of the template with what the upgrade would do to it.

import type { UseQueryResult } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { type Answer, sentenceOf } from '../api.ts'
import { classNames } from '../ui/class-names.ts'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import type { Decision } from './decisions.ts'
import { OutcomeChip, outcomeLooks, type PreviewItem, type PreviewOutcome, ResolvedChip } from './outcome.tsx'

export const customersPerPage = 50
const outcomes: readonly PreviewOutcome[] = ['clean', 'conflict', 'problem', 'upToDate']

export function CustomersStep({
  preview,
  outcome,
  page,
  selected,
  decisions,
  onOutcome,
  onPage,
  onSelect,
  onOpen,
}: {
  preview: UseQueryResult<Answer<'TemplateUpgradePreview'> | null>
  outcome: PreviewOutcome | undefined
  page: number
  selected: ReadonlySet<string>
  decisions: ReadonlyMap<string, Decision>
  onOutcome: (outcome: PreviewOutcome | undefined) => void
  onPage: (page: number) => void
  onSelect: (ids: ReadonlySet<string>) => void
  onOpen: (workflowId: string) => void
}) {
  const rows = preview.data?.items
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected)
    for (const id of ids) isOn ? next.add(id) : next.delete(id)
    onSelect(next)
  }
  const isAll = rows !== undefined && rows.length > 0 && rows.every(({ workflowId }) => selected.has(workflowId))
  return (
    <>
      <fieldset className="mb-3 flex flex-wrap gap-2">
        <legend className="sr-only">Show customers by outcome</legend>
        {outcomes.map((one) => (
          <CountButton
            key={one}
            outcome={one}
            count={preview.data?.counts[one]}
            isOn={outcome === one}
            onToggle={() => onOutcome(outcome === one ? undefined : one)}
          />
        ))}
      </fieldset>
      <ListPanel
        label="Customers"
        columns={columnsFor(decisions, onOpen)}
        rows={rows}
        keyOf={({ workflowId }) => workflowId}
        selection={{
          has: ({ workflowId }) => selected.has(workflowId),
          toggle: ({ workflowId }) => toggle([workflowId], !selected.has(workflowId)),
          toggleAll: () =>
            toggle(
              (rows ?? []).map(({ workflowId }) => workflowId),
              !isAll,
            ),
          isAll,
          nameOf: ({ name, accountEmail }) => `${name} of ${accountEmail}`,
        }}
        empty={
          outcome ? (
            <Empty icon={Users} title={`No workflows with the outcome "${outcomeLooks[outcome].word}".`} />
          ) : (
            <Empty icon={Users} title="Nobody uses this template yet">
              Once a customer has a workflow made from it, its upgrades are planned here.
            </Empty>
          )
        }
        query={preview}
        sentence={sentenceOf}
        paging={{ page, size: customersPerPage, total: preview.data?.total, onPage }}
      />
    </>
  )
}

function CountButton({
  outcome,
  count,
  isOn,
  onToggle,
}: {
  outcome: PreviewOutcome
  count: number | undefined
  isOn: boolean
  onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={classNames(
        'inline-flex h-8 items-center gap-2 rounded-md border px-2.5',
        isOn ? 'border-accent-fill bg-accent-soft' : 'border-line-strong bg-panel hover:bg-raised',
      )}
    >
      <OutcomeChip outcome={outcome} />
      <span className="min-w-6 text-right text-table font-medium tabular-nums">
        {count === undefined ? '–' : count.toLocaleString('en')}
      </span>
    </button>
  )
}

function columnsFor(
  decisions: ReadonlyMap<string, Decision>,
  onOpen: (workflowId: string) => void,
): Column<PreviewItem>[] {
  return [
    {
      id: 'customer',
      label: 'Customer',
      cell: (item) => (
        <button
          type="button"
          onClick={() => onOpen(item.workflowId)}
          className="block max-w-full truncate rounded-sm text-left font-medium hover:text-accent hover:underline"
        >
          {item.accountEmail}
        </button>
      ),
    },
    {
      id: 'workflow',
      label: 'Workflow',
      hideBelow: 'phone',
      cell: (item) => <span className="block truncate text-muted">{item.name}</span>,
    },
    {
      id: 'versions',
      label: 'Version',
      width: '120px',
      hideBelow: 'desktop',
      cell: (item) => (
        <span className="font-mono text-label text-muted">
          {item.fromVersion ?? 'draft'} → {item.toVersion}
        </span>
      ),
    },
    {
      id: 'outcome',
      label: 'Outcome',
      width: '120px',
      cell: (item) =>
        decisions.get(item.workflowId)?.isComplete ? <ResolvedChip /> : <OutcomeChip outcome={item.outcome} />,
    },
    {
      id: 'what',
      label: 'What happens',
      hideBelow: 'desktop',
      cell: (item) => <span className="block max-w-md truncate text-muted">{describe(item)}</span>,
    },
  ]
}

function describe({ conflicts, problems, changes, outcome }: PreviewItem): string {
  if (conflicts.length > 0) {
    const places = conflicts.map(({ blockName, field }) => `${field} of ${blockName}`)
    return `Changed on both sides: ${places.join(', ')}`
  }
  if (problems.length > 0) return problems.join(' ')
  if (outcome === 'upToDate') return 'Nothing to do'
  const changed = changes.map(({ blockName, change }) => `${blockName} ${change}`)
  return changed.length === 0 ? 'Only the version changes' : changed.join(', ')
}
