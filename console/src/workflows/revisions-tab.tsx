// Who changed what and when; two revisions side by side; an old one made new again.
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import type { Column } from '../ui/data-table.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { RevisionDifference } from './revision-difference.tsx'

type Revision = Answer<'WorkflowRevisions'>['items'][number]
const route = getRouteApi('/workflows/$id')
const size = 25

export function RevisionsTab({ workflow }: { workflow: WorkflowDetail }) {
  const { from, to } = route.useSearch()
  const navigate = route.useNavigate()
  const [page, setPage] = useState(0)
  const [asked, setAsked] = useState<Revision>()
  const found = useOperation(
    'WorkflowRevisions',
    { params: { workflowId: workflow.id }, body: { page, size } },
    { keepPrevious: true },
  )
  const restore = useAction('RestoreRevision', {
    changes: ['Workflow', 'WorkflowRevisions', 'WorkflowsSearch'],
    onDone: ({ answer }) => toast.done(`Restored as revision ${answer}.`),
  })
  const compare = (revision: Revision) =>
    void navigate({
      search: (before: object) => ({
        ...before,
        from: Math.max(1, revision.revision - 1),
        to: revision.revision,
      }),
    })
  return (
    <>
      <ListPanel
        label="Revisions"
        columns={columnsOf({ onCompare: compare, onRestore: setAsked })}
        rows={found.data?.items}
        keyOf={({ revision }) => String(revision)}
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: setPage }}
      />
      {from !== undefined && to !== undefined && (
        <RevisionDifference
          workflowId={workflow.id}
          from={from}
          to={to}
          newest={found.data?.items[0]?.revision ?? workflow.revision}
          onChange={(range) => void navigate({ search: (before) => ({ ...before, ...range }), replace: true })}
          onClose={() => void navigate({ search: (before) => ({ ...before, from: undefined, to: undefined }) })}
        />
      )}
      {asked && (
        <ConfirmDialog
          title={`Restore revision ${asked.revision}?`}
          confirm="Restore"
          tone="primary"
          isBusy={restore.isPending}
          error={restore.error ? sentenceOf(restore.error) : undefined}
          onClose={() => setAsked(undefined)}
          onConfirm={() =>
            restore.mutate(
              { params: { workflowId: workflow.id }, body: { revision: asked.revision } },
              { onSuccess: () => setAsked(undefined) },
            )
          }
        >
          Its content becomes a new revision. Nothing is lost: today's revision stays in this list.
        </ConfirmDialog>
      )}
    </>
  )
}

type RevisionActions = { onCompare: (revision: Revision) => void; onRestore: (revision: Revision) => void }

function columnsOf({ onCompare, onRestore }: RevisionActions): readonly Column<Revision>[] {
  return [
    {
      id: 'revision',
      label: 'Revision',
      width: '110px',
      cell: ({ revision, isCurrent }) => (
        <span className="flex items-center gap-2">
          <span className="font-mono text-label">{revision}</span>
          {isCurrent && <Chip tone="green">current</Chip>}
        </span>
      ),
    },
    { id: 'reason', label: 'Why', width: '140px', cell: ({ reason }) => reason },
    {
      id: 'email',
      label: 'Who',
      hideBelow: 'phone',
      cell: ({ email }) => email ?? <span className="text-faint">Unknown</span>,
    },
    {
      id: 'version',
      label: 'Template version',
      width: '150px',
      hideBelow: 'desktop',
      cell: ({ templateVersion }) => templateVersion ?? '–',
    },
    {
      id: 'when',
      label: 'When',
      width: '120px',
      hideBelow: 'phone',
      cell: ({ createDateTimeUTC }) => <Time iso={createDateTimeUTC} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      width: '180px',
      cell: (revision) => (
        <span className="flex justify-end gap-2">
          {revision.revision > 1 && (
            <Button size="small" onClick={() => onCompare(revision)}>
              Compare
            </Button>
          )}
          {!revision.isCurrent && (
            <Button size="small" onClick={() => onRestore(revision)}>
              Restore
            </Button>
          )}
        </span>
      ),
    },
  ]
}
