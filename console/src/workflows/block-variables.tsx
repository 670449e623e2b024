// The variables of a block: a value of its own, or one of the workflow's variables.
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Block, BlockEdit, WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'

type Binding = Block['variables'][string]

/** Stands in the draft for a variable that goes when it is saved; it has no value to show. */
const removed = { isDeleted: true } as unknown as Binding

export function BlockVariables({
  workflow,
  block,
  isStructureFree,
  onEdit,
}: {
  workflow: WorkflowDetail
  block: Block
  isStructureFree: boolean
  onEdit: (edit: BlockEdit) => void
}) {
  const set = (variable: string, binding: Binding) => onEdit({ variables: { ...block.variables, [variable]: binding } })
  const remove = (variable: string) => onEdit({ variables: { ...block.variables, [variable]: removed } })
  const entries = Object.entries(block.variables).filter(
    ([, binding]) => !(binding as { isDeleted?: boolean }).isDeleted,
  )
  return (
    <div className="flex flex-col gap-3 p-4">
      {entries.length === 0 && (
        <p className="text-table text-muted">
          This block has no variables. A script reads them as{' '}
          <code className="font-mono text-label">variables.name</code>.
        </p>
      )}
      {entries.map(([variable, binding]) => (
        <VariableRow
          key={variable}
          name={variable}
          binding={binding}
          workflow={workflow}
          onChange={(changed) => set(variable, changed)}
          onRemove={isStructureFree ? () => remove(variable) : undefined}
        />
      ))}
      {isStructureFree && (
        <NewVariable onAdd={(name) => set(name, { variableSource: 'Value', value: '', type: 'text' })} />
      )}
    </div>
  )
}

type RowProps = {
  name: string
  binding: Binding
  workflow: WorkflowDetail
  onChange: (binding: Binding) => void
  /** Undefined where variables may not be removed. */
  onRemove: (() => void) | undefined
}

function VariableRow({ name, binding, workflow, onChange, onRemove }: RowProps) {
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Select
        className="min-w-48 flex-1"
        label={name}
        value={binding.variableSource === 'Workflow' ? `w:${binding.variableName}` : 'value'}
        onChange={(event) => {
          const chosen = event.target.value
          onChange(
            chosen === 'value'
              ? { variableSource: 'Value', value: '' }
              : { variableSource: 'Workflow', variableName: chosen.slice(2) },
          )
        }}
        options={[
          { value: 'value', label: 'A value of its own' },
          ...Object.entries(workflow.variables).map(([own, declared]) => ({
            value: `w:${own}`,
            label: `Workflow variable: ${declared.displayName || own}`,
          })),
        ]}
      />
      {binding.variableSource !== 'Workflow' && (
        <TextField
          className="min-w-40 flex-1"
          label={`Value of ${name}`}
          isLabelHidden
          value={typeof binding.value === 'string' ? binding.value : JSON.stringify(binding.value ?? '')}
          onChange={(event) =>
            onChange({
              ...binding,
              variableSource: 'Value',
              value: readValue(event.target.value, binding.value),
            })
          }
        />
      )}
      {onRemove && <IconButton icon={Trash2} label={`Remove variable ${name}`} onClick={onRemove} />}
    </div>
  )
}

function NewVariable({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('')
  return (
    <form
      className="flex items-end gap-2 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== '') onAdd(name)
        setName('')
      }}
    >
      <TextField
        label="New variable"
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder="name"
        pattern="[A-Za-z_][A-Za-z0-9_]*"
      />
      <Button type="submit" icon={Plus}>
        Add
      </Button>
    </form>
  )
}

/** What was a number, a flag or JSON stays one if it can. */
function readValue(text: string, before: unknown): unknown {
  if (typeof before === 'string' || before === undefined || before === null) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
