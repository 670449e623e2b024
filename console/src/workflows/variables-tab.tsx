import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Variable } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, forget, sentenceOf } from '../api.ts'
import { ValueField } from '../definition/value-field.tsx'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { toast } from '../ui/toast.tsx'

const types = ['text', 'password', 'number', 'boolean', 'date', 'json']

/** Saves some fields of a workflow against the revision that was read. */
export function useWorkflowSave(workflow: WorkflowDetail) {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (body: Record<string, unknown>) =>
      call(
        'WorkflowUpdate',
        { params: { id: workflow.id }, body },
        { headers: { 'If-Match': `"${workflow.revision}"` } },
      ),
    onSuccess: async () => {
      await forget(queries, ['Workflow', 'WorkflowsSearch', 'WorkflowRevisions'])
      toast.done('Saved.')
    },
  })
}

export function VariablesTab({ workflow }: { workflow: WorkflowDetail }) {
  const [edits, setEdits] = useState<Record<string, unknown>>({})
  const save = useWorkflowSave(workflow)
  const isFree = workflow.workflowTemplateId === null || workflow.isCustomizedStructure
  const names = Object.keys(workflow.variables)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const variables = Object.fromEntries(Object.entries(edits).map(([name, value]) => [name, { value }]))
    save.mutate({ variables }, { onSuccess: () => setEdits({}) })
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,560px)_minmax(0,1fr)]">
      <Panel className="p-5">
        {names.length === 0 ? (
          <Empty icon={Variable} title="No variables">
            {isFree
              ? 'Variables hold what differs between customers. Blocks bind to them, so each value is set once.'
              : 'The template declares none.'}
          </Empty>
        ) : (
          <form onSubmit={submit} className="flex flex-col gap-4">
            {names.map((name) => {
              const declared = workflow.variables[name] as WorkflowDetail['variables'][string]
              const shown = {
                ...declared,
                displayName: declared.displayName || name,
                options: declared.options?.map((option) => ({ value: option, label: option })),
              }
              return (
                <ValueField
                  key={name}
                  declared={shown}
                  value={name in edits ? edits[name] : declared.value}
                  onChange={(value) => setEdits((before) => ({ ...before, [name]: value }))}
                />
              )
            })}
            {save.error && <Notice kind="error">{sentenceOf(save.error)}</Notice>}
            <div className="flex justify-end gap-2">
              <Button disabled={Object.keys(edits).length === 0} onClick={() => setEdits({})}>
                Discard
              </Button>
              <Button type="submit" tone="primary" isBusy={save.isPending} disabled={Object.keys(edits).length === 0}>
                Save
              </Button>
            </div>
          </form>
        )}
      </Panel>
      {isFree && (
        <NewVariable onAdd={(name, type) => save.mutate({ variables: { [name]: { value: emptyOf(type), type } } })} />
      )}
    </div>
  )
}

function NewVariable({ onAdd }: { onAdd: (name: string, type: string) => void }) {
  const [name, setName] = useState('')
  const [type, setType] = useState('text')
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onAdd(name, type)
        setName('')
      }}
    >
      <TextField
        label="New variable"
        value={name}
        onChange={(event) => setName(event.target.value)}
        required
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        placeholder="name"
      />
      <Select
        label="Type"
        value={type}
        onChange={(event) => setType(event.target.value)}
        options={types.map((value) => ({ value, label: value }))}
      />
      <Button type="submit" icon={Plus}>
        Add
      </Button>
    </form>
  )
}

function emptyOf(type: string): unknown {
  return { number: 0, boolean: false, json: null, date: null }[type] ?? ''
}
