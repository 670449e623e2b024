// Several workflows at once: first what will happen to which of them, then how far it has come, then what was refused.

import { useQueryClient } from '@tanstack/react-query'
import { Archive, ArrowUpCircle, Pause, Play, Rocket, RotateCcw, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, forget, sentenceOf } from '../api.ts'
import type { WorkflowSummary } from '../definition/workflow-state.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { type BulkChoice, BulkDialog, bulkWords } from './bulk-dialog.tsx'
import { type BulkAction, effectOn } from './bulk-effects.ts'

const actions = {
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

type Bulk = keyof typeof bulkIcons
const bulkIcons = { retryFailed: RotateCcw, pause: Pause, resume: Play, deploy: Rocket, tag: Tag } as const

/** `matching`: everything that the filters find, of which the page shows a part. */
export function BulkActions({
  selection,
  matching,
  isAcross,
}: {
  selection: Selection<WorkflowSummary>
  matching: { filter: Extract<BulkChoice, { filter: object }>['filter']; total: number | undefined }
  isAcross: boolean
}) {
  const [asked, setAsked] = useState<ActionName>()
  const [bulk, setBulk] = useState<Bulk>()
  const [isWhole, setIsWhole] = useState(false)
  const { rows } = selection
  if (rows.length === 0) return null
  const total = matching.total ?? 0
  const meansAll = isWhole && selection.isAll
  const templates = new Set(rows.map(({ workflowTemplateId }) => workflowTemplateId))
  const [template] = templates
  const close = () => setBulk(undefined)
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5">
      <span className="mr-1 text-table font-medium text-accent">
        {(meansAll ? total : rows.length).toLocaleString('en')} selected
      </span>
      {selection.isAll && total > rows.length && !meansAll && (
        <Button size="small" tone="quiet" onClick={() => setIsWhole(true)}>
          Select all {total.toLocaleString('en')}
        </Button>
      )}
      {(Object.keys(bulkIcons) as Bulk[]).map((name) => (
        <Button key={name} size="small" icon={bulkIcons[name]} onClick={() => setBulk(name)}>
          {bulkWords[name].verb}
        </Button>
      ))}
      {template && templates.size === 1 && !meansAll && (
        <LinkButton size="small" icon={ArrowUpCircle} to="/upgrades" search={{ template } as never}>
          Upgrade
        </LinkButton>
      )}
      {!meansAll &&
        (Object.keys(actions) as ActionName[]).map((name) => (
          <Button key={name} size="small" icon={actions[name].icon} onClick={() => setAsked(name)}>
            {name}
          </Button>
        ))}
      <Button size="small" tone="quiet" onClick={selection.clear}>
        Clear selection
      </Button>
      {bulk && (
        <BulkDialog
          action={bulk}
          choice={meansAll ? { filter: matching.filter } : { workflowIds: rows.map(({ id }) => id) }}
          isAcross={isAcross}
          onClose={close}
          onDone={selection.clear}
        />
      )}
      {asked && <EndDialog name={asked} selection={selection} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

/** Archives or deletes one after the other. */
function EndDialog({
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
      const options = workflow.accountId === undefined ? {} : { accountId: workflow.accountId }
      await call(action.operation, { params: { id: workflow.id } }, options).catch((error: unknown) => {
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
