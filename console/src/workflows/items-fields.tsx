// A block that runs once per item: which items, how they are told apart, how many at once, and how many may fail.
import type { Block } from '../definition/workflow-draft.ts'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { useItemsVerdict } from './expression-check.ts'
import { ExpressionField, type FlowPartProps, NumberField, withoutAbsent } from './flow-fields.tsx'

type ForEach = NonNullable<Block['forEach']>
type Changes = { [Name in keyof ForEach]?: ForEach[Name] | undefined }

export function ItemsFields(props: FlowPartProps) {
  const { block, isStructureFree, onEdit } = props
  const { forEach } = block
  const change = (changes: Changes) => onEdit({ forEach: withoutAbsent({ ...forEach, ...changes }) as ForEach })
  return (
    <>
      <Checkbox
        label="Run once for each item"
        hint="One bad item stops no other: each can be found, repaired and retried alone."
        disabled={!isStructureFree}
        checked={Boolean(forEach)}
        onChange={(event) => onEdit({ forEach: event.target.checked ? {} : null })}
      />
      {forEach && <OwnItems {...props} forEach={forEach} onChange={change} />}
    </>
  )
}

type OwnItemsProps = FlowPartProps & { forEach: ForEach; onChange: (changes: Changes) => void }

function OwnItems({ block, samples, isStructureFree, forEach, onChange }: OwnItemsProps) {
  const verdict = useItemsVerdict(block, samples, forEach.items ?? '', forEach.key ?? '')
  const isDisabled = !isStructureFree
  return (
    <>
      <ExpressionField
        label="Items"
        value={forEach.items ?? ''}
        placeholder="Datasource[0]"
        verdict={verdict}
        isDisabled={isDisabled}
        onChange={(text) => onChange({ items: text === '' ? undefined : text })}
      />
      <ExpressionField
        label="Key"
        value={forEach.key ?? ''}
        placeholder="item.id"
        hint="Tells items apart over retries. Without one, their position counts."
        isDisabled={isDisabled}
        onChange={(text) => onChange({ key: text === '' ? undefined : text })}
      />
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label="At once"
          value={forEach.concurrency}
          range={[1, 50]}
          placeholder="1"
          onChange={(concurrency) => onChange({ concurrency })}
        />
        <NumberField
          label="Batch size"
          value={forEach.batchSize}
          range={[1, 1000]}
          placeholder="1"
          isDisabled={isDisabled}
          onChange={(batchSize) => onChange({ batchSize })}
        />
        <TextField
          label="May fail"
          placeholder="0"
          hint="A number, a share such as 10%, or all."
          value={String(forEach.maxFailures ?? '')}
          onChange={(event) => onChange({ maxFailures: failuresOf(event.target.value) })}
        />
        <NumberField
          label="Stop after failures in a row"
          value={forEach.stopAfter}
          range={[0, 1000]}
          placeholder="10"
          onChange={(stopAfter) => onChange({ stopAfter })}
        />
        <Select
          label="Result"
          disabled={isDisabled}
          value={forEach.collect ?? 'results'}
          onChange={(event) => onChange({ collect: event.target.value === 'counts' ? 'counts' : undefined })}
          options={[
            { value: 'results', label: 'The results of the items' },
            { value: 'counts', label: 'Counts only' },
          ]}
        />
      </div>
    </>
  )
}

function failuresOf(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed
}
