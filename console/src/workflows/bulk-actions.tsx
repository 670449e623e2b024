// Several workflows at once: first what will happen to which of them, then how far it has come, then what was refused.

import { useQueryClient } from '@tanstack/react-query'
import { Archive, Rocket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, forget, sentenceOf } from '../api.ts'
import type { WorkflowSummary } from '../definition/workflow-state.tsx'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { type BulkAction, effectOn } from './bulk-effects.ts'

const actions = {
  Deploy: {
    operation: 'DeployWorkflow',
    done: 'deployed',
    icon: Rocket,
    tone: 'primary',
    says: 'can then run by hand, on schedule and by webhook',
  },
  Archive: {
    operation: 'ArchiveWorkflow',
    done: 'archived',
    icon: Archive,
    tone: 'danger',
    says: 'stop, and keep their history',
  },
  Delete: {
    operation: 'DeleteWorkflow',
    done: 'deleted',
    icon: Trash2,
    tone: 'danger',
    says: 'are removed for good, with history, vault and queue',
  },
} as const
type ActionName = keyof typeof actions & BulkAction

export type Selection<Row> = {
  rows: readonly Row[]
  has: (row: Row) => boolean
  toggle: (row: Row) => void
  toggleAll: () => void
  isAll: boolean
  clear: () => void
}

export function useSelection<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const chosen = (rows ?? []).filter((row) => keys.has(keyOf(row)))
  const isAll = chosen.length > 0 && chosen.length === rows?.length
  return {
    rows: chosen,
    has: (row) => keys.has(keyOf(row)),
    toggle: (row) => setKeys((before) => before.symmetricDifference(new Set([keyOf(row)]))),
    toggleAll: () => setKeys(isAll ? new Set() : new Set(rows?.map(keyOf))),
    isAll,
    clear: () => setKeys(new Set()),
  }
}

export function BulkActions({ selection }: { selection: Selection<WorkflowSummary> }) {
  const [asked, setAsked] = useState<ActionName>()
  if (selection.rows.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5">
      <span className="mr-1 text-table font-medium text-accent">{selection.rows.length} selected</span>
      {(Object.keys(actions) as ActionName[]).map((name) => (
        <Button key={name} size="small" icon={actions[name].icon} onClick={() => setAsked(name)}>
          {name}
        </Button>
      ))}
      <Button size="small" tone="quiet" onClick={selection.clear}>
        Clear selection
      </Button>
      {asked && <BulkDialog name={asked} selection={selection} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

function BulkDialog({
  name,
  selection,
  onClose,
}: {
  name: ActionName
  selection: Selection<WorkflowSummary>
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [rows] = useState(selection.rows)
  const [doneCount, setDoneCount] = useState<number>()
  const [refusals, setRefusals] = useState<string[]>([])
  const action = actions[name]
  const run = async () => {
    const refused: string[] = []
    for (const [index, workflow] of rows.entries()) {
      setDoneCount(index)
      await call(action.operation, { params: { id: workflow.id } }).catch((error: unknown) => {
        refused.push(`${workflow.name}: ${sentenceOf(error)}`)
      })
    }
    await forget(queries, ['WorkflowsSearch', 'Workflows', 'Workflow'])
    setRefusals(refused)
    setDoneCount(refused.length > 0 ? undefined : rows.length)
    const count = rows.length - refused.length
    if (count > 0) toast.done(`${counted(count, 'workflow')} ${action.done}.`)
    if (refused.length === 0) {
      selection.clear()
      onClose()
    }
  }
  const isBusy = doneCount !== undefined
  return (
    <Dialog title={`${name} ${counted(rows.length, 'workflow')}?`} onClose={() => !isBusy && onClose()}>
      <p className="text-muted">These {action.says}:</p>
      <ul className="my-3 max-h-48 overflow-y-auto rounded-md border border-line bg-ground px-3 py-2">
        {rows.map((workflow) => (
          <li key={workflow.id} className="flex gap-3 py-0.5">
            <span className="min-w-0 flex-1 truncate">{workflow.name}</span>
            <span className="shrink-0 text-label text-muted">{effectOn(name, workflow)}</span>
          </li>
        ))}
      </ul>
      {isBusy && (
        <progress
          className="h-1.5 w-full accent-(--accent-fill)"
          value={doneCount}
          max={rows.length}
          aria-label="Progress"
        />
      )}
      {refusals.length > 0 && (
        <ul role="alert" className="mb-3 list-disc pl-4 text-red">
          {refusals.map((refusal) => (
            <li key={refusal}>{refusal}</li>
          ))}
        </ul>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button disabled={isBusy} onClick={onClose}>
          {refusals.length > 0 ? 'Close' : 'Cancel'}
        </Button>
        {refusals.length === 0 && (
          <Button tone={action.tone} isBusy={isBusy} onClick={() => void run()}>
            {isBusy ? `${doneCount} of ${rows.length}` : name}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
